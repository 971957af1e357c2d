package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;

/** {@link Plant#CHECKPOINT_ALONE}: a server's network that says yes when another actor is asked whether its log is shipped. */
public final class LoneCheckpoints implements Network {
    private final Network network;
    private final Timers timers;

    public LoneCheckpoints(Network network, Timers timers) {
        this.network = network;
        this.timers = timers;
    }

    @Override
    public void call(Address to, PeerRequest request, long timeoutNanos, Completion<PeerReply> completion) {
        if (request instanceof PeerRequest.PinActor pin && pin.backup().isEmpty()) {
            timers.after(1, () -> completion.done(Outcome.ok(new PeerReply.Ack())));
        } else {
            network.call(to, request, timeoutNanos, completion);
        }
    }
}
