package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.tx.VersionedNetwork;
import java.util.List;

/** {@link Plant#OPEN_TAKEN}: readers do not hear which versions answers leave open. */
public record OpenTaken(VersionedNetwork network) implements VersionedNetwork {
    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return network.read(to, request, reply -> {
            if (reply instanceof Outcome.Ok<VersionedRead.Reply> ok) {
                completion.done(Outcome.ok(new VersionedRead.Reply(
                        ok.value().parts(),
                        ok.value().failures(),
                        List.of(),
                        ok.value().denied())));
            } else {
                completion.done(reply);
            }
        });
    }
}
