package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.simulator.engine.ListOperators;

/** {@link Plant#UNVERSIONED_SHUFFLE}: a scatter reads the newest state of each actor and reports it as the requested version. */
public record UnversionedShuffleBug(SnapshotReadClient network) implements SnapshotReadClient {
    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        boolean scatter = request.operator().equals(ListOperators.SCATTER.id());
        if (!scatter || request.version() == 0) {
            return network.read(to, request, completion);
        }
        VersionedRead newest = new VersionedRead(
                request.table(),
                request.tableId(),
                request.targets(),
                request.operator(),
                request.parameters(),
                0,
                request.acceptsMerged(),
                false,
                request.remainingNanos());
        return network.read(to, newest, reply -> {
            if (reply instanceof Outcome.Ok<VersionedRead.Reply> ok) {
                completion.done(Outcome.ok(new VersionedRead.Reply(
                        ok.value().parts().stream()
                                .map(part -> new VersionedRead.Part(part.actors(), request.version(), part.value()))
                                .toList(),
                        ok.value().failures())));
            } else {
                completion.done(reply);
            }
        });
    }
}
