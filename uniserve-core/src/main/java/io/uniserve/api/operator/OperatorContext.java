package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.api.QueryCancellation;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.Optional;

/** The query an operator works for. Safe for use by the operator's thread. */
public interface OperatorContext extends QueryCancellation {
    /** The actor's number. */
    int actor();

    /** The time that remains in whole milliseconds, 1 or more, for engines that take a limit of their own. */
    default long remainingMillis() {
        return Math.max(1, Math.min(remainingNanos() / 1_000_000, Limits.DEADLINE_MS_MAX));
    }

    /** Throws DEADLINE_EXCEEDED or CANCELLED when the query has ended. Cheap. */
    void checkActive();

    /**
     * Tells what answering costs, in nanoseconds of CPU time, where the operator knows better than the clock of its thread: its
     * engine works on threads of its own, or waits for a device that is the scarce one. The last word counts, whether the operator then answers
     * or fails. Without one the cost is the CPU time spent. Placement balances these costs, so they have to be comparable.
     *
     * @param nanos 0 or more; a negative number is as if nothing was said
     */
    default void costs(long nanos) {}

    /**
     * The actor of the same number of another table, where the read asks for it ({@link
     * io.uniserve.api.plan.PlanContext#retrieveBeside}) and this server has it and may answer from it now, as it may from the
     * operator's own. Empty elsewhere. Of the same engine; to be used no longer than the operator runs.
     */
    default Optional<ActorView> beside(TableName table) {
        return Optional.empty();
    }
}
