package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Asks servers to do something in durable storage, which all of them share: one after the other until one can. */
final class StorageRequests {
    private static final long TIMEOUT_NANOS = Limits.BACKUP_ACTOR_MS_MAX * 1_000_000;

    private final LeaderTerm leaderTerm;
    private int turn;

    StorageRequests(LeaderTerm leaderTerm) {
        this.leaderTerm = leaderTerm;
    }

    /**
     * The answer of one server; UNSUPPORTED where none has durable storage, UNAVAILABLE where none can be reached, INTERNAL
     * where it answered with something else.
     *
     * @param kind what the request is answered with
     */
    <R extends PeerReply> void ask(ArchiveRequest request, Class<R> kind, Completion<R> completion) {
        List<ServerRecord> servers = new ArrayList<>(leaderTerm.live());
        Collections.rotate(servers, ++turn); // work on many actors is spread
        next(
                request,
                new ArrayDeque<>(servers),
                new UniserveException(ErrorCode.UNAVAILABLE, "no server is live"),
                outcome -> completion.done(typed(outcome, kind)));
    }

    /** The reply where it is of this kind; INTERNAL where it is another one. */
    static <R extends PeerReply> Outcome<R> typed(Outcome<PeerReply> outcome, Class<R> kind) {
        if (outcome instanceof Outcome.Err<PeerReply> err) {
            return Outcome.err(err.error());
        }
        PeerReply reply = outcome.value();
        return kind.isInstance(reply)
                ? Outcome.ok(kind.cast(reply))
                : Outcome.err(new UniserveException(
                        ErrorCode.INTERNAL,
                        "a server answered with " + reply.getClass().getSimpleName() + ", not with "
                                + kind.getSimpleName()));
    }

    private void next(
            ArchiveRequest request,
            ArrayDeque<ServerRecord> servers,
            UniserveException last,
            Completion<PeerReply> completion) {
        ServerRecord server = servers.poll();
        if (server == null) {
            completion.done(Outcome.err(last));
            return;
        }
        PeerRequest call = new PeerRequest.Archive(request);
        leaderTerm
                .env()
                .network()
                .call(
                        server.address(),
                        call,
                        TIMEOUT_NANOS,
                        leaderTerm.registry().scoped(outcome -> {
                            if (outcome instanceof Outcome.Err<PeerReply> err
                                    && elsewhere(err.error().code())) {
                                boolean told = last.code() != ErrorCode.UNSUPPORTED
                                        && err.error().code() == ErrorCode.UNSUPPORTED
                                        && last.code() != ErrorCode.UNAVAILABLE;
                                next(request, servers, told ? last : err.error(), completion);
                            } else {
                                completion.done(outcome);
                            }
                        }));
    }

    private static boolean elsewhere(ErrorCode code) {
        return code == ErrorCode.UNSUPPORTED || code == ErrorCode.UNAVAILABLE || code == ErrorCode.DEADLINE_EXCEEDED;
    }
}
