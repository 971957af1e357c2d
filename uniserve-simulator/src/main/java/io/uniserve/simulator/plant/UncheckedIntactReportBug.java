package io.uniserve.simulator.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.simulator.network.Endpoint;
import java.util.List;

/** {@link Plant#UNCHECKED_INTACT_REPORT}: handler that reports every replica as intact, without a check of the replica. */
public final class UncheckedIntactReportBug implements Endpoint.Handler<PeerRequest, PeerReply> {
    private static final long NEWEST_EPOCH = 1L << 40;

    private final Endpoint.Handler<PeerRequest, PeerReply> machine;

    public UncheckedIntactReportBug(Endpoint.Handler<PeerRequest, PeerReply> machine) {
        this.machine = machine;
    }

    @Override
    public void handle(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.ListIntactReplicas list) {
            List<PeerReply.IntactReplicaList.IntactReplica> all = list.keys().stream()
                    .map(key -> new PeerReply.IntactReplicaList.IntactReplica(key, NEWEST_EPOCH))
                    .toList();
            machine.handle(
                    request,
                    outcome -> completion.done(
                            outcome instanceof Outcome.Ok<PeerReply> ok
                                            && ok.value() instanceof PeerReply.IntactReplicaList told
                                    ? Outcome.ok(
                                            new PeerReply.IntactReplicaList(told.server(), told.incarnation(), all))
                                    : outcome));
        } else {
            machine.handle(request, completion);
        }
    }
}
