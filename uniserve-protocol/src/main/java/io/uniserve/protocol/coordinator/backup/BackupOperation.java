package io.uniserve.protocol.coordinator.backup;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupName;
import io.uniserve.protocol.backup.format.TableSnapshot;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.table.StorageRequestClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** State of one operation on one backup. It ends with the answer to the client. */
final class BackupOperation {
    private final LeaderContext leader;
    private final StorageRequestClient storage;
    private final BackupName name;
    private final PendingAdminReply reply;
    private @Nullable BoundedFanOut work;

    BackupOperation(LeaderContext leader, StorageRequestClient storage, BackupName name, PendingAdminReply answer) {
        this.leader = leader;
        this.storage = storage;
        this.name = name;
        this.reply = answer;
    }

    LeaderContext leader() {
        return leader;
    }

    BackupName name() {
        return name;
    }

    PendingAdminReply reply() {
        return reply;
    }

    /** Runs the step for each actor. {@link #work} shows the progress meanwhile. */
    void forEachActor(int actors, BoundedFanOut.Step step, Completion<Done> completion) {
        BoundedFanOut next = new BoundedFanOut(actors, step, completion);
        work = next;
        next.start();
    }

    /** Runs the step for each of these actors. */
    void forEachActor(List<Integer> actors, BoundedFanOut.Step step, Completion<Done> completion) {
        forEachActor(actors.size(), (at, then) -> step.run(actors.get(at), then), completion);
    }

    /** Finds the actors that may have a pin of the backup: those of all its manifests. */
    void findPinnedActors(String id, Completion<List<Integer>> completion) {
        call(new ArchiveRequest.ReadManifests(name.value(), id), PeerReply.Manifests.class, outcome -> {
            TreeSet<Integer> actors = new TreeSet<>();
            try {
                if (outcome instanceof Outcome.Err<PeerReply.Manifests> err) {
                    throw err.error();
                }
                for (Bytes manifest : outcome.value().objects()) {
                    actors.addAll(TableSnapshot.decode(manifest).actors().numbers());
                }
            } catch (UniserveException e) {
                completion.done(Outcome.err(e));
                return;
            }
            completion.done(Outcome.ok(List.copyOf(actors)));
        });
    }

    @Nullable
    BoundedFanOut progress() {
        return work;
    }

    <R extends PeerReply> void call(ArchiveRequest request, Class<R> kind, Completion<R> completion) {
        storage.send(request, kind, completion);
    }

    /** Sends a request whose reply is an acknowledgement only. */
    void callForAck(ArchiveRequest request, Completion<Done> completion) {
        storage.send(request, PeerReply.Ack.class, outcome -> completion.done(outcome.map(ack -> Done.DONE)));
    }

    /** Reads the complete backup. If there is none, the client gets the error. */
    void readManifest(Consumer<TableSnapshot> then) {
        call(new ArchiveRequest.ReadManifest(name.value()), PeerReply.Manifests.class, outcome -> {
            try {
                if (outcome instanceof Outcome.Err<PeerReply.Manifests> err) {
                    throw err.error();
                }
                List<Bytes> found = outcome.value().objects();
                if (found.size() != 1) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL, "a server sent " + found.size() + " manifests of one backup, not 1");
                }
                then.accept(TableSnapshot.decode(found.get(0)));
            } catch (UniserveException e) {
                reply.fail(e);
            }
        });
    }
}
