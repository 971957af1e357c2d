package io.uniserve.protocol.coordinator;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.BackupName;
import io.uniserve.protocol.archive.TableSnapshot;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One piece of work on one backup, as long as its client waits; it ends with the answer. */
final class BackupOperation {
    private final LeaderTerm leaderTerm;
    private final StorageRequests storage;
    private final BackupName name;
    private final AdminHandler.Answer answer;
    private @Nullable BoundedFanOut work;

    BackupOperation(LeaderTerm leaderTerm, StorageRequests storage, BackupName name, AdminHandler.Answer answer) {
        this.leaderTerm = leaderTerm;
        this.storage = storage;
        this.name = name;
        this.answer = answer;
    }

    LeaderTerm reign() {
        return leaderTerm;
    }

    BackupName name() {
        return name;
    }

    AdminHandler.Answer answer() {
        return answer;
    }

    /** The step for each actor; progress can be asked for meanwhile. */
    void each(int actors, BoundedFanOut.Step step, Completion<Done> completion) {
        BoundedFanOut next = new BoundedFanOut(actors, step, completion);
        work = next;
        next.start();
    }

    @Nullable
    BoundedFanOut work() {
        return work;
    }

    <R extends PeerReply> void ask(ArchiveRequest request, Class<R> kind, Completion<R> completion) {
        storage.ask(request, kind, completion);
    }

    /** Asks for what is only acknowledged. */
    void tell(ArchiveRequest request, Completion<Done> completion) {
        storage.ask(request, PeerReply.Ack.class, outcome -> completion.done(outcome.map(ack -> Done.DONE)));
    }

    /** The complete backup; the client hears why where there is none. */
    void read(Consumer<TableSnapshot> then) {
        ask(new ArchiveRequest.Read(name.value()), PeerReply.Manifests.class, outcome -> {
            try {
                if (outcome instanceof Outcome.Err<PeerReply.Manifests> err) {
                    throw err.error();
                }
                List<Bytes> found = outcome.value().objects();
                if (found.size() != 1) {
                    throw new UniserveException(
                            ErrorCode.INTERNAL, "a server answered with " + found.size() + " manifests of one backup");
                }
                then.accept(TableSnapshot.decode(found.get(0)));
            } catch (UniserveException e) {
                answer.fail(e);
            }
        });
    }
}
