package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.simulator.kernel.Prng;

/** {@link Plant#COMMIT_UNPREPARED}: network of a transaction manager that returns votes of yes for some actors before they prepare. */
public final class CommitUnpreparedBug implements Network {
    private static final int ONE_IN = 4;

    private final Network network;
    private final Timers timers;
    private final Prng random;

    public CommitUnpreparedBug(Network network, Timers timers, Prng random) {
        this.network = network;
        this.timers = timers;
        this.random = random;
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.Prepare prepare && random.below(ONE_IN) == 0) {
            network.call(to, request, timeoutNanos, ignored -> {});
            timers.after(1, () -> completion.done(Outcome.ok(PeerReply.Vote.yes(prepare.epoch()))));
        } else {
            network.call(to, request, timeoutNanos, completion);
        }
    }
}
