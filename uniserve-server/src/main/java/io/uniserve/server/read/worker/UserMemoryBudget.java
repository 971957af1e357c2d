package io.uniserve.server.read.worker;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.UserLimits;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Bytes of results that a server holds for each user, with the limits of their roles. Thread-safe. */
public final class UserMemoryBudget {
    private final Function<String, UserLimits> limits;
    private final Map<String, Long> used = new ConcurrentHashMap<>();

    /** @param limits returns the limits of a user by its name */
    public UserMemoryBudget(Function<String, UserLimits> limits) {
        this.limits = limits;
    }

    /** Limits of a user; none for the empty name. */
    public UserLimits limits(String user) {
        return limits.apply(user);
    }

    /** Reserves these bytes for a user, or fails with RESOURCE_EXHAUSTED and reserves nothing. Work without a user has no limit here. */
    public void reserve(String user, long bytes) {
        if (user.isEmpty() || bytes == 0) {
            return;
        }
        long now = used.merge(user, bytes, Long::sum);
        UserLimits known = limits.apply(user);
        if (now > known.max(LimitKind.MEMORY)) {
            release(user, bytes);
            throw known.exceeded(
                    ErrorCode.RESOURCE_EXHAUSTED,
                    LimitKind.MEMORY,
                    user,
                    now + " bytes of results would wait at this server; ask for less, or for fewer results at once");
        }
    }

    /** Returns reserved bytes. */
    public void release(String user, long bytes) {
        if (!user.isEmpty() && bytes != 0) {
            used.computeIfPresent(user, (name, had) -> had > bytes ? had - bytes : null);
        }
    }

    /** Bytes that are reserved for the user. */
    public long used(String user) {
        return used.getOrDefault(user, 0L);
    }
}
