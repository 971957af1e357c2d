package io.uniserve.simulator.plant;

import io.uniserve.model.Address;
import io.uniserve.model.TableName;
import io.uniserve.protocol.client.transaction.ConsistentCutClient;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ConsistentCut;
import java.util.ArrayList;
import java.util.List;

/** {@link Plant#CUT_APART}: takes a snapshot per table, one after the other, and returns them as one snapshot. */
public record CutPerTableBug(ConsistentCutClient network) implements ConsistentCutClient {
    @Override
    public void requestConsistentCut(
            Address to, List<TableName> tables, long timeoutNanos, Completion<ConsistentCut> completion) {
        next(to, tables, timeoutNanos, List.of(), completion);
    }

    private void next(
            Address to,
            List<TableName> left,
            long timeoutNanos,
            List<ConsistentCut.Table> found,
            Completion<ConsistentCut> completion) {
        if (left.isEmpty()) {
            completion.done(Outcome.ok(new ConsistentCut(found)));
            return;
        }
        network.requestConsistentCut(to, left.subList(0, 1), timeoutNanos, outcome -> {
            if (outcome instanceof Outcome.Ok<ConsistentCut> ok) {
                List<ConsistentCut.Table> more = new ArrayList<>(found);
                more.addAll(ok.value().tables());
                next(to, left.subList(1, left.size()), timeoutNanos, more, completion);
            } else {
                completion.done(outcome);
            }
        });
    }
}
