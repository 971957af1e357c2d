package io.uniserve.server.read.worker;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
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
     * @param user its name; empty for work without a user
     * @param limits limits of the user
     */
    public static QueryDeadline of(
            long nowNanos, long remainingNanos, long serverMaxNanos, String user, UserLimits limits) {
        long userMaxNanos = TimeUnit.MILLISECONDS.toNanos(limits.max(LimitKind.DEADLINE_MS));
        long max = Math.min(serverMaxNanos, userMaxNanos);
        if (remainingNanos <= max) {
            return new QueryDeadline(nowNanos + remainingNanos, Optional.empty());
        }
        return new QueryDeadline(
                nowNanos + max,
                Optional.of(
                        userMaxNanos < serverMaxNanos
                                ? "the limit "
                                        + limits.limit(LimitKind.DEADLINE_MS).orElseThrow() + " of user " + user
                                : "server.query-time-max"));
    }

    /** The error for the client: QUERY_KILLED, which it does not repeat, if a limit has ended the query. */
    public UniserveException toClientError(UniserveException error) {
        if (error.code() != ErrorCode.DEADLINE_EXCEEDED || limit.isEmpty()) {
            return error;
        }
        return new UniserveException(ErrorCode.QUERY_KILLED, "the query ran longer than " + limit.get(), error);
    }
}
