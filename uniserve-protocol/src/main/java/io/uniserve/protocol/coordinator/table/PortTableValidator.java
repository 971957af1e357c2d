package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.Iterator;
import java.util.List;

/**
 * Validation of a table's definition by its port, on a live server that offers the port. If that server cannot be reached, another one is
 * tried.
 */
public final class PortTableValidator {
    private static final int VALIDATORS_MAX = 3;

    private final LeaderContext leader;
    private final PeerRequest.ValidateTable request;
    private final PendingAdminReply reply;
    private final Runnable then;

    private PortTableValidator(
            LeaderContext leader, PeerRequest.ValidateTable request, PendingAdminReply answer, Runnable then) {
        this.leader = leader;
        this.request = request;
        this.reply = answer;
        this.then = then;
    }

    /**
     * Runs {@code then} if the port accepts the definition; otherwise the client gets the port's error.
     *
     * @throws UniserveException UNKNOWN_PORT if none of these servers offers the port
     */
    public static void run(
            LeaderContext leader,
            List<ServerRecord> usable,
            PeerRequest.ValidateTable request,
            PendingAdminReply answer,
            Runnable then) {
        String port = request.meta().port();
        List<ServerRecord> offering = usable.stream()
                .filter(server -> ClusterView.offersPort(server, port))
                .limit(VALIDATORS_MAX)
                .toList();
        if (offering.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT, "no live server offers port \"" + port + "\": start a server that has it");
        }
        new PortTableValidator(leader, request, answer, then).callNext(offering.iterator());
    }

    private void callNext(Iterator<ServerRecord> servers) {
        leader.env()
                .network()
                .call(
                        servers.next().address(),
                        request,
                        leader.config().rpcTimeoutNanos(),
                        leader.registry().scoped(outcome -> onReply(outcome, servers)));
    }

    private void onReply(Outcome<PeerReply> outcome, Iterator<ServerRecord> servers) {
        if (outcome instanceof Outcome.Err<PeerReply> err) {
            ErrorCode code = err.error().code();
            if ((code.retriable() || code == ErrorCode.DEADLINE_EXCEEDED) && servers.hasNext()) {
                callNext(servers);
            } else {
                reply.fail(err.error());
            }
        } else {
            then.run();
        }
    }
}
