package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.VersionedRead;

/** {@link Plant#ONE_ROUND}: gives all answers the same version. */
public record OneRoundBug(SnapshotReadClient network) implements SnapshotReadClient {
    private static final long ANY = 1L << 40;

    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return network.read(to, request, reply -> {
            if (reply instanceof Outcome.Ok<VersionedRead.Reply> ok) {
                completion.done(Outcome.ok(new VersionedRead.Reply(
                        ok.value().parts().stream()
                                .map(part -> new VersionedRead.Part(part.actors(), ANY, part.value()))
                                .toList(),
                        ok.value().failures(),
                        ok.value().openVersions(),
                        ok.value().invisibleVersions(),
                        ok.value().generation())));
            } else {
                completion.done(reply);
            }
        });
    }
}
