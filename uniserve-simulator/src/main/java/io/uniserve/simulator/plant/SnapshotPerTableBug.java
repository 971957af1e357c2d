package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import java.util.ArrayList;
import java.util.List;

/** {@link Plant#CUT_APART}: takes a snapshot per table, one after the other, and returns them as one snapshot. */
public record SnapshotPerTableBug(ConsistentSnapshotClient network) implements ConsistentSnapshotClient {
    @Override
    public void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentSnapshot> completion) {
        next(to, tables, timeoutNanos, List.of(), completion);
    }

    private void next(
            Address to,
            List<TableName> left,
            long timeoutNanos,
            List<ConsistentSnapshot.Table> found,
            Completion<ConsistentSnapshot> completion) {
        if (left.isEmpty()) {
            completion.done(Outcome.ok(new ConsistentSnapshot(found)));
            return;
        }
        network.requestConsistentCut(to, left.subList(0, 1), timeoutNanos, outcome -> {
            if (outcome instanceof Outcome.Ok<ConsistentSnapshot> ok) {
                List<ConsistentSnapshot.Table> more = new ArrayList<>(found);
                more.addAll(ok.value().tables());
                next(to, left.subList(1, left.size()), timeoutNanos, more, completion);
            } else {
                completion.done(outcome);
            }
        });
    }
}
