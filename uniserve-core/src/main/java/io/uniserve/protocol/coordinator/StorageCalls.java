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
final class StorageCalls {
    private static final long TIMEOUT_NANOS = Limits.BACKUP_ACTOR_MS_MAX * 1_000_000;

    private final Reign reign;
    private int turn;

    StorageCalls(Reign reign) {
        this.reign = reign;
    }

    /** The answer of one server; UNSUPPORTED where none has durable storage, UNAVAILABLE where none can be reached. */
    void ask(ArchiveRequest request, Completion<PeerReply> completion) {
        List<ServerRecord> servers = new ArrayList<>(reign.live());
        Collections.rotate(servers, ++turn); // work on many actors is spread
        next(
                request,
                new ArrayDeque<>(servers),
                new UniserveException(ErrorCode.UNAVAILABLE, "no server is live"),
                completion);
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
        reign.env()
                .network()
                .call(server.address(), call, TIMEOUT_NANOS, reign.registry().scoped(outcome -> {
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
