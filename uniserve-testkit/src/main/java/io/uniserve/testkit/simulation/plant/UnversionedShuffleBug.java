package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.tx.SnapshotReadClient;
import io.uniserve.testkit.simulation.engine.ListOperators;

/** {@link Plant#UNVERSIONED_SHUFFLE}: a scatter reads the newest state of each actor and reports it as the requested version. */
public record UnversionedShuffleBug(SnapshotReadClient network) implements SnapshotReadClient {
    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        boolean scatter = request.operator().equals(ListOperators.SCATTER.id());
        if (!scatter || request.at() == 0) {
            return network.read(to, request, completion);
        }
        VersionedRead newest = new VersionedRead(
                request.table(),
                request.tableId(),
                request.targets(),
                request.operator(),
                request.parameters(),
                0,
                request.merged(),
                false,
                request.remainingNanos());
        return network.read(to, newest, reply -> {
            if (reply instanceof Outcome.Ok<VersionedRead.Reply> ok) {
                completion.done(Outcome.ok(new VersionedRead.Reply(
                        ok.value().parts().stream()
                                .map(part -> new VersionedRead.Part(part.actors(), request.at(), part.value()))
                                .toList(),
                        ok.value().failures())));
            } else {
                completion.done(reply);
            }
        });
    }
}
