package io.uniserve.testkit.simulation.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.testkit.simulation.network.Endpoint;
import java.util.List;

/** {@link Plant#BLIND_VOUCHERS}: handler that reports every replica as intact, without a check of the replica. */
public final class BlindVouchersBug implements Endpoint.Handler<PeerRequest, PeerReply> {
    private static final long NEWEST_EPOCH = 1L << 40;

    private final Endpoint.Handler<PeerRequest, PeerReply> machine;

    public BlindVouchersBug(Endpoint.Handler<PeerRequest, PeerReply> machine) {
        this.machine = machine;
    }

    @Override
    public void handle(PeerRequest request, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Vouch vouch) {
            List<PeerReply.Vouched.Whole> all = vouch.keys().stream()
                    .map(key -> new PeerReply.Vouched.Whole(key, NEWEST_EPOCH))
                    .toList();
            machine.handle(
                    request,
                    outcome -> completion.done(
                            outcome instanceof Outcome.Ok<PeerReply> ok && ok.value() instanceof PeerReply.Vouched told
                                    ? Outcome.ok(new PeerReply.Vouched(told.server(), told.incarnation(), all))
                                    : outcome));
        } else {
            machine.handle(request, completion);
        }
    }
}
