package io.uniserve.protocol.backup.archive;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.BackupName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.backup.format.ArchivePaths;
import io.uniserve.protocol.backup.format.BackupPaths;
import io.uniserve.protocol.backup.format.StoredActors;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.backup.restore.BackupRecovery;
import io.uniserve.protocol.backup.ship.BackupEraser;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Service of a server that works in durable storage for backups of tables. Requests are independent and may be repeated. */
public final class ArchiveService {
    private final Environment env;
    private final ReplicaConfig config;
    private final BackupEraser eraser;

    public ArchiveService(Environment env, ReplicaConfig config, BackupEraser eraser) {
        this.env = env;
        this.config = config;
        this.eraser = eraser;
    }

    /** Handles a request. Errors: UNSUPPORTED without durable storage, CORRUPT, BACKUP_NOT_FOUND, and those of the storage. */
    public void handle(ArchiveRequest request, Completion<PeerReply> completion) {
        try {
            if (config.shippingNanos() == 0) {
                throw new UniserveException(
                        ErrorCode.UNSUPPORTED,
                        "this server has no durable storage: configure storage.location for all servers");
            }
            dispatch(request, completion);
        } catch (UniserveException refused) {
            completion.done(Outcome.err(refused));
        }
    }

    private void dispatch(ArchiveRequest request, Completion<PeerReply> completion) {
        if (request instanceof ArchiveRequest.StoreManifest store) {
            storeManifest(TableSnapshot.decode(store.manifest()), store.manifest(), completion);
        } else if (request instanceof ArchiveRequest.FindBackups find) {
            BackupLister.find(env.objects(), find.name(), completion);
        } else if (request instanceof ArchiveRequest.ReadManifest read) {
            BackupLister.read(env.objects(), new BackupName(read.name()), completion);
        } else if (request instanceof ArchiveRequest.ReadManifests read) {
            BackupLister.readAll(env.objects(), new BackupName(read.name()), read.id(), completion);
        } else if (request instanceof ArchiveRequest.FindActors find) {
            findActors(find.tableId(), completion);
        } else if (request instanceof ArchiveRequest.PinLostActor salvage) {
            BackupRecovery.pin(
                    env, config.clusterId(), salvage.key(), salvage.backup(), salvage.versionLimit(), completion);
        } else if (request instanceof ArchiveRequest.FindShippedVersions survey) {
            BackupRecovery.reportShippedVersions(env, config.clusterId(), survey.key(), completion);
        } else if (request instanceof ArchiveRequest.VerifyPart check) {
            TableSnapshot backup = TableSnapshot.decode(check.manifest());
            SnapshotVerifier.verify(env, backup.pin(check.actor()), outcome -> replyVerified(outcome, completion));
        } else if (request instanceof ArchiveRequest.CopyPart copy) {
            TableSnapshot backup = TableSnapshot.decode(copy.manifest());
            SnapshotVerifier.copy(
                    env,
                    backup.pin(copy.actor()),
                    config.clusterId(),
                    copy.target(),
                    outcome -> replyCopied(outcome, completion));
        } else if (request instanceof ArchiveRequest.DeletePin release) {
            eraser.release(release.table(), release.cluster(), release.key(), release.backup(), replyAck(completion));
        } else if (request instanceof ArchiveRequest.DeleteManifests forget) {
            deleteManifests(forget, completion);
        } else {
            definitions(completion);
        }
    }

    /** Stores a manifest. It takes it back, and fails, if the backup was deleted before the manifest was stored. */
    private void storeManifest(TableSnapshot backup, Bytes encoded, Completion<PeerReply> completion) {
        String key = ArchivePaths.key(backup, encoded);
        String mark = ArchivePaths.deleted(backup.name(), backup.id());
        env.objects()
                .put(
                        key,
                        encoded,
                        completion.then(stored -> env.objects().list(mark, completion.then(found -> {
                            if (found.isEmpty()) {
                                completion.done(Outcome.ok(new PeerReply.Ack()));
                            } else {
                                env.objects()
                                        .delete(
                                                key,
                                                deleted -> completion.done(Outcome.err(new UniserveException(
                                                        ErrorCode.BACKUP_NOT_FOUND,
                                                        "backup " + backup.name()
                                                                + " was deleted while it was taken"))));
                            }
                        }))));
    }

    private static void replyVerified(Outcome<BackupRecord> outcome, Completion<PeerReply> completion) {
        completion.done(
                outcome instanceof Outcome.Err<BackupRecord> err
                        ? Outcome.err(err.error())
                        : Outcome.ok(new PeerReply.Ack()));
    }

    private static void replyCopied(Outcome<BackupRecord> outcome, Completion<PeerReply> completion) {
        completion.done(
                outcome instanceof Outcome.Ok<BackupRecord> ok
                        ? Outcome.ok(new PeerReply.Copied(ok.value()))
                        : Outcome.err(outcome.error()));
    }

    private static Completion<Done> replyAck(Completion<PeerReply> completion) {
        return done -> completion.done(
                done instanceof Outcome.Err<Done> err ? Outcome.err(err.error()) : Outcome.ok(new PeerReply.Ack()));
    }

    private void deleteManifests(ArchiveRequest.DeleteManifests request, Completion<PeerReply> completion) {
        BackupName name = new BackupName(request.name());
        env.objects().list(ArchivePaths.prefix(name), completion.then(listed -> {
            Iterator<String> doomed = ArchivePaths.all(listed).stream()
                    .filter(found -> found.id().equals(request.id()) && (request.all() || found.complete()))
                    .map(ArchivePaths.Stored::key)
                    .iterator();
            if (!request.all() || !doomed.hasNext()) {
                env.objects().deleteAll(doomed, replyAck(completion));
                return;
            }
            String mark = ArchivePaths.deleted(name, request.id());
            env.objects()
                    .put(
                            mark,
                            ArchivePaths.deletedMark(),
                            completion.then(stored -> env.objects().deleteAll(doomed, replyAck(completion))));
        }));
    }

    private void findActors(long tableId, Completion<PeerReply> completion) {
        String prefix = BackupPaths.table(config.clusterId(), tableId);
        env.objects()
                .list(
                        prefix,
                        completion.then(listed -> completion.done(Outcome.ok(
                                new PeerReply.Manifests(List.of(StoredActors.among(listed, config.clusterId(), tableId)
                                        .encode()))))));
    }

    private void definitions(Completion<PeerReply> completion) {
        env.objects().list(StoredTableDefinition.root(config.clusterId()), completion.then(listed -> {
            ArrayDeque<String> keys = new ArrayDeque<>(
                    StoredTableDefinition.newest(listed, config.clusterId()).values());
            if (keys.size() > Limits.BACKUPS_TOLD_MAX) {
                completion.done(Outcome.err(new UniserveException(
                        ErrorCode.TOO_LARGE, "durable storage has definitions of " + keys.size() + " tables")));
                return;
            }
            long largest = StoredTableDefinition.largestTableId(listed, StoredTableDefinition.root(config.clusterId()));
            String backups = BackupPaths.cluster(config.clusterId());
            env.objects()
                    .list(
                            backups,
                            completion.then(objects -> fetch(
                                    keys,
                                    new ArrayList<>(),
                                    Math.max(largest, StoredTableDefinition.largestTableId(objects, backups)),
                                    completion)));
        }));
    }

    /** Fetches the definitions one by one. Damaged ones are left out, because tables are independent of each other. */
    private void fetch(
            ArrayDeque<String> keys, List<Bytes> found, long largestTableId, Completion<PeerReply> completion) {
        String key = keys.poll();
        if (key == null) {
            completion.done(Outcome.ok(new PeerReply.Manifests(found, largestTableId)));
            return;
        }
        env.objects().get(key, got -> {
            if (got instanceof Outcome.Ok<Bytes> ok && StoredTableDefinition.matches(key, ok.value())) {
                found.add(ok.value());
            } else if (got instanceof Outcome.Err<Bytes> err
                    && err.error().code().retriable()) {
                onUnreadable(key, err.error(), completion);
                return;
            }
            fetch(keys, found, largestTableId, completion);
        });
    }

    /**
     * Handles an unreadable definition. A primary that stores a newer definition deletes older ones, so if the key no longer exists, all
     * are listed again.
     */
    private void onUnreadable(String key, UniserveException why, Completion<PeerReply> completion) {
        env.objects().list(key, listed -> {
            if (listed instanceof Outcome.Ok<List<String>> ok && ok.value().isEmpty()) {
                definitions(completion);
            } else {
                completion.done(Outcome.err(why));
            }
        });
    }
}
