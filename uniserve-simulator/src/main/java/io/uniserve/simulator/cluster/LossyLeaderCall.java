package io.uniserve.simulator.cluster;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.simulator.kernel.Prng;

/** Requests of clients to the leader, with a delay. One of eight requests and one of eight replies are lost. */
record LossyLeaderCall(SimulationContext world, SimCluster cluster, Prng random) {
    private static final long SECOND = 1_000_000_000L;

    /** Sends the request to the present leader, whatever the address. Ends with DEADLINE_EXCEEDED if there is no reply. */
    void send(Address unused, AdminRequest request, long timeoutNanos, Completion<AdminReply> completion) {
        boolean[] ended = {false};
        Completion<AdminReply> once = outcome -> {
            if (!ended[0]) {
                ended[0] = true;
                completion.done(outcome);
            }
        };
        world.queue.after(
                Math.min(timeoutNanos, SECOND / 2),
                () -> once.done(Outcome.err(new UniserveException(ErrorCode.DEADLINE_EXCEEDED, "no reply"))));
        boolean requestLost = random.below(8) == 0;
        boolean replyLost = random.below(8) == 0;
        world.queue.after(random.below(SECOND / 50), () -> {
            if (!requestLost) {
                cluster.leader()
                        .ifPresent(leader -> leader.onAdmin(request, outcome -> {
                            if (!replyLost) {
                                world.queue.after(random.below(SECOND / 50), () -> once.done(outcome));
                            }
                        }));
            }
        });
    }
}
