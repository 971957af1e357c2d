package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Client for requests about durable storage, which all servers share: it tries one server after another until one can execute the request.
 */
public final class StorageRequestClient {
    private static final long TIMEOUT_NANOS = Limits.BACKUP_ACTOR_MS_MAX * 1_000_000;

    private final LeaderContext leader;
    private int nextServer;

    public StorageRequestClient(LeaderContext leader) {
        this.leader = leader;
    }

    /**
     * Sends the request. Errors: UNSUPPORTED if no server has durable storage, UNAVAILABLE if none can be reached, INTERNAL if the reply
     * has another type.
     *
     * @param kind type of the expected reply
     */
    public <R extends PeerReply> void send(ArchiveRequest request, Class<R> kind, Completion<R> completion) {
        List<ServerRecord> servers = new ArrayList<>(leader.liveServers());
        Collections.rotate(servers, ++nextServer); // spreads the work for many actors over the servers
        next(
                request,
                new ArrayDeque<>(servers),
                new UniserveException(ErrorCode.UNAVAILABLE, "no server is live"),
                outcome -> completion.done(typed(outcome, kind)));
    }

    /** The reply with its expected type; INTERNAL if it has another type. */
    public static <R extends PeerReply> Outcome<R> typed(Outcome<PeerReply> outcome, Class<R> kind) {
        if (outcome instanceof Outcome.Err<PeerReply> err) {
            return Outcome.err(err.error());
        }
        PeerReply reply = outcome.value();
        return kind.isInstance(reply)
                ? Outcome.ok(kind.cast(reply))
                : Outcome.err(new UniserveException(
                        ErrorCode.INTERNAL,
                        "a server replied with " + reply.getClass().getSimpleName() + ", not " + kind.getSimpleName()));
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
        leader.env()
                .network()
                .call(server.address(), call, TIMEOUT_NANOS, leader.registry().scoped(outcome -> {
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
