package io.uniserve.runtime.transport.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.UserLimits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Limits on the requests that users send to this process: queries at the same time, and rows of updates per second. Requests of processes
 * are not counted: the server that a user sent its query to counts it. Thread-safe; never blocks.
 *
 * <pre>{@code
 * Completion<Answer> counted = limiter.start(access.current(), reply);
 * }</pre>
 */
public final class UserRequestLimiter {
    /** A user may use one second's rows at once. */
    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Number of users above which those that have not sent updates lately are forgotten. */
    private static final int USERS_BEFORE_CLEANING = 1_000;

    private final Clock clock;
    private final Map<String, Integer> running = new ConcurrentHashMap<>();
    /** Time by which the rows of each user's updates are within its limit. */
    private final Map<String, Long> clearNanos = new ConcurrentHashMap<>();

    public UserRequestLimiter(Clock clock) {
        this.clock = clock;
    }

    /**
     * Counts a query or read of the caller. Returns the completion that ends the counting; it must be called. Fails with RESOURCE_EXHAUSTED
     * if the user has as many under way as it may.
     */
    public <M> Completion<M> start(AccessControl.Caller caller, Completion<M> completion) {
        String user = caller.user();
        if (user.isEmpty()) {
            return completion;
        }
        UserLimits limits = caller.limits();
        long max = limits.max(LimitKind.QUERIES);
        int count = running.merge(user, 1, Integer::sum);
        if (count > max) {
            end(user);
            throw limits.exceeded(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.QUERIES,
                    user,
                    (count - 1) + " queries and reads run at this server; wait for answers before sending more");
        }
        AtomicBoolean ended = new AtomicBoolean();
        return outcome -> {
            if (ended.compareAndSet(false, true)) {
                end(user);
            }
            completion.done(outcome);
        };
    }

    private void end(String user) {
        running.computeIfPresent(user, (name, count) -> count > 1 ? count - 1 : null);
    }

    /** Queries and reads of the user that are counted now. */
    int running(String user) {
        return running.getOrDefault(user, 0);
    }

    /** Number of users whose updates are remembered. */
    int remembered() {
        return clearNanos.size();
    }

    /**
     * Counts rows of an update. Fails with RESOURCE_EXHAUSTED if the user's updates of the last second have used up its limit. Then nothing
     * is counted. The last update before that may exceed the limit, so that a batch larger than it is possible; later ones wait for longer.
     */
    public void checkUpdate(AccessControl.Caller caller, LongSupplier rows) {
        UserLimits limits = caller.limits();
        long perSecond = limits.max(LimitKind.UPDATES);
        if (perSecond == Long.MAX_VALUE) {
            return;
        }
        long now = clock.nanos();
        long cost = (long) (rows.getAsLong() * (double) TimeUnit.SECONDS.toNanos(1) / perSecond);
        long[] waitNanos = new long[1];
        clearNanos.compute(caller.user(), (name, clear) -> {
            long from = clear == null || clear - now < 0 ? now : clear;
            waitNanos[0] = from - now - BURST_NANOS;
            return waitNanos[0] > 0 ? from : from + cost;
        });
        if (waitNanos[0] > 0) {
            throw limits.exceeded(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.UPDATES,
                    caller.user(),
                    "wait for " + (TimeUnit.NANOSECONDS.toMillis(waitNanos[0]) + 1) + " ms before the next update");
        }
        if (clearNanos.size() > USERS_BEFORE_CLEANING) {
            clearNanos.values().removeIf(clear -> clear - now <= 0);
        }
    }
}
