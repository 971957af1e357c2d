package io.uniserve.simulator.plant;

import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Registry;
import java.util.List;

/**
 * {@link Plant#DISPLACED_UNTOLD}: registry of a server that aborts a version which another manager has started ahead. It reduces the
 * participants of that decision to the first actor. Then only this actor must acknowledge the abort, although any actor may have prepared
 * the version.
 */
public final class ReservationAbortTrimmedBug extends ForwardingRegistry {
    public ReservationAbortTrimmedBug(Registry registry) {
        super(registry);
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        List<Op> quiet = ops.stream()
                .map(op -> op instanceof Op.Set set && set.value() instanceof TransactionLogState log
                        ? new Op.Set(set.path(), withFirstParticipantOnly(log), set.version())
                        : op)
                .toList();
        registry.multi(quiet, completion);
    }

    private static TransactionLogState withFirstParticipantOnly(TransactionLogState log) {
        return log.withDecisions(log.decisions().stream()
                .map(ReservationAbortTrimmedBug::withFirstParticipantOnly)
                .toList());
    }

    private static Decision withFirstParticipantOnly(Decision decision) {
        return decision.committed() || !decision.batches().isEmpty()
                ? decision
                : decision.withUnacked(
                        decision.unackedParticipants().stream().limit(1).toList());
    }
}
