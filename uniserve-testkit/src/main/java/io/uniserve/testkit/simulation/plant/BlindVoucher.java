package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.testkit.simulation.network.Endpoint;
import java.util.List;

/** {@link Plant#BLIND_VOUCHERS}: a server's ear that answers requests for vouchers without a look at the replicas. */
public final class BlindVoucher implements Endpoint.Handler<PeerRequest, PeerReply> {
    private static final long NEWEST_EPOCH = 1L << 40;

    private final ServerId server;
    private final long incarnation;
    private final Endpoint.Handler<PeerRequest, PeerReply> machine;

    public BlindVoucher(ServerId server, long incarnation, Endpoint.Handler<PeerRequest, PeerReply> machine) {
        this.server = server;
        this.incarnation = incarnation;
        this.machine = machine;
    }

    @Override
    public void handle(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Vouch vouch) {
            List<PeerReply.Vouched.Whole> all = vouch.keys().stream()
                    .map(key -> new PeerReply.Vouched.Whole(key, NEWEST_EPOCH))
                    .toList();
            completion.done(Outcome.ok(new PeerReply.Vouched(server, incarnation, all)));
        } else {
            machine.handle(request, completion);
        }
    }
}
