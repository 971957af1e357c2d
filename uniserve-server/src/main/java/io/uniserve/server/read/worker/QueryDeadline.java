package io.uniserve.server.read.worker;

import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.UserLimits;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * End of a query: the caller's deadline, or an earlier one by a limit. Immutable.
 *
 * @param nanos time of the server's clock
 * @param limit the limit that ends the query before its caller's deadline, for errors; empty if none does
 */
public record QueryDeadline(long nanos, Optional<String> limit) {
    /**
     * The end of a query that begins now.
     *
     * @param remainingNanos time that its caller gives it
     * @param serverMaxNanos longest time at this server, setting {@code server.query-time-max}
     * @param limits limits of the user
     */
    public static QueryDeadline of(long nowNanos, long remainingNanos, long serverMaxNanos, UserLimits limits) {
        long userMaxNanos = TimeUnit.MILLISECONDS.toNanos(limits.max(LimitKind.DEADLINE));
        long max = Math.min(serverMaxNanos, userMaxNanos);
        if (remainingNanos <= max) {
            return new QueryDeadline(nowNanos + remainingNanos, Optional.empty());
        }
        return new QueryDeadline(
                nowNanos + max,
                Optional.of(
                        userMaxNanos < serverMaxNanos
                                ? "the limit "
                                        + limits.limit(LimitKind.DEADLINE).orElseThrow()
                                : "server.query-time-max"));
    }
}
