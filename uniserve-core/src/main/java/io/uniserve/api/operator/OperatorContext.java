package io.uniserve.api.operator;

import io.uniserve.api.ActorView;
import io.uniserve.api.QueryCancellation;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.Optional;

/**
 * Query that an operator works for: its deadline, cancellation, and the number of the actor. Use it on the operator's thread only.
 *
 * <pre>{@code
 * for (Hit hit : hits) {
 *     context.checkActive();
 *     score(hit);
 * }
 * }</pre>
 */
public interface OperatorContext extends QueryCancellation {
    /** Number of the actor. */
    int actor();

    /** Remaining time in whole milliseconds, at least 1, for engines that take a timeout of their own. */
    default long remainingMillis() {
        return Math.max(1, Math.min(remainingNanos() / 1_000_000, Limits.DEADLINE_MS_MAX));
    }

    /** Throws DEADLINE_EXCEEDED or CANCELLED if the query has ended. Cheap enough for inner loops. */
    void checkActive();

    /**
     * Reports the cost of this call in nanoseconds of CPU time, for engines that work on threads of their own or wait for a scarce device.
     * Without a report the cost is the CPU time of the operator's thread. The last report counts, also if the operator fails afterwards.
     * Placement balances these costs between servers, so they must be comparable.
     *
     * @param nanos 0 or more; a negative number is ignored
     */
    default void reportCost(long nanos) {}

    /**
     * Reports the number of rows that this call has scanned. Without a report it is the number of rows that the actor holds. The last report
     * counts. The placement of chunks predicts loads from it.
     *
     * @param rows 0 or more; a negative number is ignored
     */
    default void reportRowsScanned(long rows) {}

    /**
     * The actor with the same number in another table of the same engine, if the planner called
     * {@link io.uniserve.api.plan.PlanContext#retrieveColocated} and this server holds that actor and may answer from it now; otherwise empty.
     * Use it only while the operator runs.
     */
    default Optional<ActorView> colocatedActor(TableName table) {
        return Optional.empty();
    }
}
