package io.uniserve.runtime.transport.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.KeyedCounter;
import io.uniserve.model.RequestId;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.UserLimits;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.message.client.UpdateRequest;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Limits on the requests of users at this process: queries at the same time, bytes of replies that they have not received, and rows of
 * updates per second. Requests of processes are not counted: the server that a user sent its query to counts it. Thread-safe; never blocks.
 *
 * <pre>{@code
 * Completion<Answer> counted = limiter.start(access.current(), reply);
 * }</pre>
 */
public final class UserRequestLimiter {
    /** Number of users above which the entries of those without recent updates are removed. */
    private static final int USERS_BEFORE_CLEANING = 1_000;

    /** Updates of a user that were admitted last, to recognize their other parts. */
    private static final int ADMITTED_UPDATES_MAX = 256;

    private final Clock clock;
    private final KeyedCounter running = new KeyedCounter();
    private final KeyedCounter unsentBytes = new KeyedCounter();
    private final Map<String, UpdateBucket> updates = new ConcurrentHashMap<>();

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
        long max = limits.max(LimitKind.CONCURRENT_QUERIES);
        long count = running.add(user, 1);
        if (count > max) {
            running.subtract(user, 1);
            throw limits.exceeded(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.CONCURRENT_QUERIES,
                    user,
                    (count - 1) + " queries and reads run at this server; wait for answers before sending more");
        }
        AtomicBoolean ended = new AtomicBoolean();
        return outcome -> {
            if (ended.compareAndSet(false, true)) {
                running.subtract(user, 1);
            }
            completion.done(outcome);
        };
    }

    /** Queries and reads of the user that are counted now. */
    long running(String user) {
        return running.get(user);
    }

    /**
     * Fails with RESOURCE_EXHAUSTED if the user leaves so many bytes of replies unread that this one would be over its limit. A reply is
     * never refused if it is the only one.
     */
    public void checkUnsent(AccessControl.Caller caller, long bytes) {
        String user = caller.user();
        long now = unsent(user);
        UserLimits limits = caller.limits();
        if (now > 0 && now + bytes > limits.max(LimitKind.RESULT_BYTES)) {
            throw limits.exceeded(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.RESULT_BYTES,
                    user,
                    now + " bytes of replies wait to be received; read them before asking for more");
        }
    }

    /** Counts more bytes of replies that wait to be received, or fewer if the number is negative. */
    public void addUnsent(AccessControl.Caller caller, long bytes) {
        String user = caller.user();
        if (user.isEmpty() || bytes == 0) {
            return;
        }
        if (bytes > 0) {
            unsentBytes.add(user, bytes);
        } else {
            unsentBytes.subtract(user, -bytes);
        }
    }

    /** Bytes of replies that the user has not received. */
    long unsent(String user) {
        return unsentBytes.get(user);
    }

    /** Number of users with recent updates. */
    int trackedUsers() {
        return updates.size();
    }

    /**
     * Counts the rows of an update. Fails with RESOURCE_EXHAUSTED if the user's earlier updates exceed its limit by more than one second's
     * rows; then nothing is counted. An update may have any number of rows: later ones wait for longer. Other requests for an admitted update,
     * such as its further parts and repetitions, are not refused, and rows for the same actor count once.
     */
    public void recordUpdate(AccessControl.Caller caller, UpdateRequest request) {
        UserLimits limits = caller.limits();
        long perSecond = limits.max(LimitKind.UPDATE_ROWS_PER_SECOND);
        String user = caller.user();
        if (perSecond == Long.MAX_VALUE) {
            updates.remove(user);
            return;
        }
        long now = clock.nanos();
        long waitMillis =
                updates.computeIfAbsent(user, name -> new UpdateBucket(now)).record(request, perSecond, now);
        if (waitMillis > 0) {
            throw limits.exceeded(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.UPDATE_ROWS_PER_SECOND,
                    user,
                    "wait for " + waitMillis + " ms before the next update");
        }
        if (updates.size() > USERS_BEFORE_CLEANING) {
            updates.values().removeIf(other -> other.isClear(now));
        }
    }

    /** Ids of requests are of one table. */
    private record AdmittedUpdate(long tableId, RequestId request) {}

    /** Leaky bucket of the rows of one user's updates: it drains at the limit. */
    private static final class UpdateBucket {
        private double rows;
        private double perSecond;
        private long atNanos;
        private final Map<AdmittedUpdate, Set<Integer>> admitted = new LinkedHashMap<>();

        private UpdateBucket(long now) {
            atNanos = now;
        }

        /** Counts the request, or returns the time to wait. */
        private synchronized long record(UpdateRequest request, long limit, long now) {
            perSecond = limit;
            drain(now);
            AdmittedUpdate update = new AdmittedUpdate(request.tableId(), request.request());
            Set<Integer> actors = admitted.get(update);
            if (actors == null) {
                if (rows > perSecond) {
                    return (long) Math.ceil((rows - perSecond) / perSecond * TimeUnit.SECONDS.toMillis(1));
                }
                actors = new HashSet<>();
                admitted.put(update, actors);
                if (admitted.size() > ADMITTED_UPDATES_MAX) {
                    admitted.remove(admitted.keySet().iterator().next());
                }
            }
            for (UpdateRequest.ActorRows part : request.actors()) {
                rows += actors.add(part.actor()) ? part.count() : 0;
            }
            return 0;
        }

        private void drain(long now) {
            rows = Math.max(0, rows - perSecond * (now - atNanos) / TimeUnit.SECONDS.toNanos(1));
            atNanos = now;
        }

        private synchronized boolean isClear(long now) {
            drain(now);
            return rows == 0;
        }
    }
}
