package io.uniserve.protocol.coordinator.backup;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.TombstoneStore;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;

/**
 * Procedure that deletes a backup: first its manifest, then each actor's pin, then the marker of its start. So an interrupted deletion
 * shows as an incomplete backup, and can be repeated.
 */
final class DeleteBackupProcedure {
    private static final long TIMEOUT_NANOS = 60_000_000_000L;

    private final BackupOperation job;
    private final BackupInfo backup;
    private List<Integer> actors = List.of();

    DeleteBackupProcedure(BackupOperation job, BackupInfo backup) {
        this.job = job;
        this.backup = backup;
    }

    void run(Completion<Done> completion) {
        if (backup.name().isEmpty()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.CORRUPT,
                    "backup " + job.name() + " cannot be deleted, as its contents are unknown: " + backup.detail())));
            return;
        }
        job.findPinnedActors(backup.id(), found -> {
            if (!(found instanceof Outcome.Ok<List<Integer>> ok)) {
                completion.done(Outcome.err(found.error()));
                return;
            }
            actors = ok.value();
            deleteManifests(false, done -> {
                if (done instanceof Outcome.Ok<Done>) {
                    writeTombstoneIfLost(given -> release(given, completion));
                } else {
                    completion.done(done);
                }
            });
        });
    }

    /**
     * Writes a tombstone if the backup stands for a lost table of this cluster. The coordinator names such a backup after the table and its
     * number. With its deletion the operator gives the table up, and the tombstone permits the deletion of its other objects.
     */
    private void writeTombstoneIfLost(Completion<Done> then) {
        String id = "-" + backup.tableId();
        String name = job.name().value();
        boolean named = name.equals("lost-" + backup.table() + id) || name.equals("lost" + id);
        boolean ours = backup.cluster().equals(job.leader().config().clusterId());
        if (!named || !ours || job.leader().catalog().find(backup.tableId()) != null) {
            then.done(Outcome.ok(Done.DONE));
            return;
        }
        FencedRegistry registry = job.leader().registry();
        TombstoneStore.find(registry, backup.tableId(), found -> {
            if (!(found instanceof Outcome.Ok<Boolean> ok)) {
                then.done(Outcome.err(found.error()));
            } else if (ok.value()) {
                then.done(Outcome.ok(Done.DONE));
            } else {
                TableName table = new TableName(backup.table());
                registry.write(
                        List.of(TombstoneStore.create(backup.tableId(), table, Tombstone.Reason.GIVEN_UP)),
                        written -> then.done(
                                written.isApplied()
                                        ? Outcome.ok(Done.DONE)
                                        : Outcome.err(new UniserveException(
                                                ErrorCode.UNAVAILABLE,
                                                "the registry did not confirm the tombstone of table number "
                                                        + backup.tableId() + ": delete backup " + name + " again"))));
            }
        });
    }

    private void release(Outcome<Done> given, Completion<Done> completion) {
        if (given instanceof Outcome.Ok<Done>) {
            job.forEachActor(actors, this::release, released -> {
                if (released instanceof Outcome.Ok<Done>) {
                    deleteManifests(true, completion);
                } else {
                    completion.done(released);
                }
            });
        } else {
            completion.done(given);
        }
    }

    private void deleteManifests(boolean all, Completion<Done> completion) {
        job.callForAck(new ArchiveRequest.DeleteManifests(job.name().value(), backup.id(), all), completion);
    }

    /** Deletes the actor's pin through its primary if it has one, because the primary then also deletes unused objects. */
    private void release(int actor, Completion<Done> completion) {
        TableName table = new TableName(backup.table());
        ReplicaKey key = new ReplicaKey(backup.tableId(), actor);
        ArchiveRequest request = new ArchiveRequest.DeletePin(table, backup.cluster(), key, backup.id());
        Table live = job.leader().catalog().find(table);
        ActorState state = live == null || live.meta.tableId() != backup.tableId()
                ? null
                : live.map().find(actor); // null if its chunk is expired
        ServerRecord primary = state == null ? null : job.leader().members().find(state.primary());
        if (primary == null) {
            job.callForAck(request, completion);
            return;
        }
        job.leader()
                .env()
                .network()
                .call(
                        primary.address(),
                        new PeerRequest.Archive(request),
                        TIMEOUT_NANOS,
                        job.leader().registry().scoped(outcome -> {
                            if (outcome instanceof Outcome.Ok<PeerReply>) {
                                completion.done(Outcome.ok(Done.DONE));
                            } else {
                                job.callForAck(request, completion);
                            }
                        }));
    }
}
