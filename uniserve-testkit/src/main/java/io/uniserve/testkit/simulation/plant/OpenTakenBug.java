package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.VersionedRead;
import io.uniserve.protocol.tx.SnapshotReadClient;
import java.util.List;

/** {@link Plant#OPEN_TAKEN}: permits all servers to leave versions open, and hides the open versions from readers. */
public record OpenTakenBug(SnapshotReadClient network) implements SnapshotReadClient {
    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return network.read(to, deferring(request), reply -> {
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

    private static VersionedRead deferring(VersionedRead request) {
        return new VersionedRead(
                request.table(),
                request.tableId(),
                request.targets(),
                request.operator(),
                request.parameters(),
                request.at(),
                request.merged(),
                request.newest(),
                request.strict(),
                request.remainingNanos());
    }
}
