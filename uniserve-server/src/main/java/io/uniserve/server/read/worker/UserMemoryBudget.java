package io.uniserve.server.read.worker;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.KeyedCounter;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.UserLimits;
import java.util.function.Function;

/** Bytes of results that a server holds for each user, with the limits of their roles. Thread-safe. */
public final class UserMemoryBudget {
    private final Function<String, UserLimits> limits;
    private final KeyedCounter used = new KeyedCounter();

    /** @param limits returns the limits of a user by its name */
    public UserMemoryBudget(Function<String, UserLimits> limits) {
        this.limits = limits;
    }

    /** Limits of a user; none for the empty name. */
    public UserLimits limits(String user) {
        return limits.apply(user);
    }

    /**
     * Reserves more bytes for a request of a user, or fails and reserves nothing: with TOO_LARGE if the request alone is over the limit, with
     * RESOURCE_EXHAUSTED if it may succeed once others of the user have ended. Work without a user has no limit here.
     *
     * @param held bytes that the request has reserved before
     */
    public void reserve(String user, long bytes, long held) {
        if (user.isEmpty() || bytes == 0) {
            return;
        }
        long now = used.add(user, bytes);
        UserLimits known = limits.apply(user);
        if (now > known.max(LimitKind.RESULT_BYTES)) {
            release(user, bytes);
            boolean alone = held + bytes > known.max(LimitKind.RESULT_BYTES);
            throw known.exceeded(
                    alone ? ErrorCode.TOO_LARGE : ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.RESULT_BYTES,
                    user,
                    alone
                            ? "this query holds " + (held + bytes) + " bytes of results at this server; ask for less"
                            : now
                                    + " bytes of results would wait at this server; wait for answers before sending more");
        }
    }

    /** Returns reserved bytes. */
    public void release(String user, long bytes) {
        if (!user.isEmpty() && bytes != 0) {
            used.subtract(user, bytes);
        }
    }

    /** Bytes that are reserved for the user. */
    public long used(String user) {
        return used.get(user);
    }
}
