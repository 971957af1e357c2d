package io.uniserve.model.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Limits on the requests of one user: of each kind that of the role that permits most. A role without a limit of a kind permits any
 * number. Immutable.
 *
 * <pre>{@code
 * UserLimits limits = UserLimits.of(List.of(Role.READER), rules.limits());
 * long rows = limits.max(LimitKind.ANSWER_ROWS);
 * }</pre>
 */
public final class UserLimits {
    /** No limit. */
    public static final UserLimits NONE = new UserLimits(Map.of());

    private final Map<LimitKind, RoleLimit> limits;

    private UserLimits(Map<LimitKind, RoleLimit> limits) {
        this.limits = limits;
    }

    /** The limits of a user with these roles. */
    public static UserLimits of(Collection<Role> roles, List<RoleLimit> all) {
        Map<LimitKind, RoleLimit> found = new EnumMap<>(LimitKind.class);
        for (LimitKind kind : LimitKind.values()) {
            largest(kind, roles, all).ifPresent(limit -> found.put(kind, limit));
        }
        return found.isEmpty() ? NONE : new UserLimits(found);
    }

    /** The limits of a user with these rules. */
    public static UserLimits ofGrants(Collection<RoleGrant> grants, List<RoleLimit> all) {
        return of(grants.stream().map(RoleGrant::role).toList(), all);
    }

    private static Optional<RoleLimit> largest(LimitKind kind, Collection<Role> roles, List<RoleLimit> all) {
        RoleLimit largest = null;
        for (Role role : roles) {
            if (!role.includes(kind.right())) {
                continue;
            }
            Optional<RoleLimit> limit = all.stream()
                    .filter(one -> one.role() == role && one.kind() == kind)
                    .findFirst();
            if (limit.isEmpty()) {
                return Optional.empty();
            }
            if (largest == null || limit.get().value() > largest.value()) {
                largest = limit.get();
            }
        }
        return Optional.ofNullable(largest);
    }

    /** The limit of this kind. */
    public Optional<RoleLimit> limit(LimitKind kind) {
        return Optional.ofNullable(limits.get(kind));
    }

    /** The most that is permitted; {@link Long#MAX_VALUE} without a limit. */
    public long max(LimitKind kind) {
        RoleLimit limit = limits.get(kind);
        return limit == null ? Long.MAX_VALUE : limit.value();
    }

    /** True if there is no limit at all. */
    public boolean isEmpty() {
        return limits.isEmpty();
    }

    /** All limits, in the order of the kinds. */
    public List<RoleLimit> all() {
        return List.copyOf(limits.values());
    }

    /**
     * The error for a request beyond a limit.
     *
     * @param code RESOURCE_EXHAUSTED if the same request may succeed later
     * @param what what is too much and the remedy, such as {@code 5 queries would run: wait for answers}
     */
    public UniserveException exceeded(ErrorCode code, LimitKind kind, String user, String what) {
        return new UniserveException(code, "user " + user + " is over its limit " + limits.get(kind) + ": " + what);
    }
}
