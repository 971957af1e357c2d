package io.uniserve.model;

import io.uniserve.model.TransactionLogState.Decision;
import java.util.List;

/**
 * What became of older updates of a table whose updates are atomic: only retries still ask for it. In a node of its own, as
 * the table's log is written twice for each update; both are written together whenever decisions move from there to here.
 *
 * @param number grows with each write; the {@link TransactionLogState} that belongs to it names it
 * @param decisions known to all their participants; ascending by version
 */
public record TransactionHistory(long tableId, long number, List<Decision> decisions) implements RegistryValue {
    public TransactionHistory {
        decisions = List.copyOf(decisions);
    }

    /** Those of a table that has none yet. */
    public static TransactionHistory none(long tableId) {
        return new TransactionHistory(tableId, 0, List.of());
    }
}
