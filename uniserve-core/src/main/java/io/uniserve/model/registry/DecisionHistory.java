package io.uniserve.model.registry;

import io.uniserve.model.registry.TransactionLogState.Decision;
import java.util.List;

/**
 * Outcomes of older updates of an atomic table, which only retries still need. They have a node of their own, as each update writes the
 * transaction log twice. When decisions move from the log to this node, one multi writes both.
 *
 * @param writeNumber grows with each write; the {@link TransactionLogState} that belongs to it has the same number
 * @param decisions decisions that all their participants have logged; ascending by version
 */
public record DecisionHistory(long tableId, long writeNumber, List<Decision> decisions) implements RegistryValue {
    public DecisionHistory {
        decisions = List.copyOf(decisions);
    }

    /** The outcomes of a table that has none yet. */
    public static DecisionHistory empty(long tableId) {
        return new DecisionHistory(tableId, 0, List.of());
    }
}
