package io.uniserve.testkit.simulation.plant;

import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.Decision;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import java.util.List;

/**
 * {@link Plant#DISPLACED_UNTOLD}: registry of a server that shortens the participants in the abort of a version that was started ahead.
 * Only the first actor must acknowledge the abort, as if the participants were known.
 */
public final class DisplacedUntoldBug extends ForwardingRegistry {
    public DisplacedUntoldBug(Registry registry) {
        super(registry);
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        List<Op> quiet = ops.stream()
                .map(op -> op instanceof Op.Set set && set.value() instanceof TransactionLogState log
                        ? new Op.Set(set.path(), quiet(log), set.version())
                        : op)
                .toList();
        registry.multi(quiet, completion);
    }

    private static TransactionLogState quiet(TransactionLogState log) {
        List<Decision> decisions =
                log.decisions().stream().map(DisplacedUntoldBug::quiet).toList();
        return new TransactionLogState(
                log.tableId(), log.version(), log.next(), log.inFlight(), decisions, log.forgotten(), log.outcomes());
    }

    private static Decision quiet(Decision decision) {
        return decision.committed() || !decision.batches().isEmpty()
                ? decision
                : new Decision(
                        decision.version(),
                        false,
                        decision.batches(),
                        decision.refused(),
                        decision.reason(),
                        decision.unacked().stream().limit(1).toList());
    }
}
