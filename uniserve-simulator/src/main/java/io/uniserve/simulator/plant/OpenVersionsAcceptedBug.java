package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.List;

/** {@link Plant#OPEN_TAKEN}: permits all servers to leave versions open, and hides the open versions from readers. */
public record OpenVersionsAcceptedBug(SnapshotReadClient network) implements SnapshotReadClient {
    @Override
    public Timers.Cancel read(Address to, VersionedRead request, Completion<VersionedRead.Reply> completion) {
        return network.read(to, deferring(request), reply -> {
            if (reply instanceof Outcome.Ok<VersionedRead.Reply> ok) {
                completion.done(Outcome.ok(new VersionedRead.Reply(
                        ok.value().parts(),
                        ok.value().failures(),
                        List.of(),
                        ok.value().invisibleVersions(),
                        ok.value().generation())));
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
                request.version(),
                request.acceptsMerged(),
                request.isNewest(),
                request.strict(),
                request.remainingNanos());
    }
}
