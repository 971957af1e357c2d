package io.uniserve.model.access;

import io.uniserve.error.UniserveException;
import java.util.Comparator;

/**
 * Rule that limits the requests of each user with a role, at each server.
 *
 * <pre>{@code
 * new RoleLimit(Role.READER, LimitKind.CONCURRENT_QUERIES, 4);
 * }</pre>
 *
 * @param role admin, writer or reader: only these read or change rows
 * @param value the most that is permitted, at least 1, in the unit of the kind's name
 */
public record RoleLimit(Role role, LimitKind kind, long value) implements Comparable<RoleLimit> {
    private static final Comparator<RoleLimit> ORDER =
            Comparator.comparing(RoleLimit::role).thenComparing(RoleLimit::kind).thenComparingLong(RoleLimit::value);

    /** Fails as {@link #check} does. */
    public RoleLimit {
        check(role, kind, value);
    }

    /** Fails with INVALID_ARGUMENT if users with the role make no such requests, or the value is out of range. */
    public static void check(Role role, LimitKind kind, long value) {
        if (!role.includes(kind.right())) {
            throw UniserveException.invalid("limit " + kind.text() + ": role " + role.text()
                    + (kind.right() == Right.WRITE
                            ? " changes no rows: use writer or admin"
                            : " reads no rows: use reader, writer or admin"));
        }
        if (value < 1 || value > kind.max()) {
            throw UniserveException.invalid("limit " + kind.text() + " is " + value + ": use 1 to " + kind.max());
        }
    }

    @Override
    public int compareTo(RoleLimit other) {
        return ORDER.compare(this, other);
    }

    /** The limit in messages, such as {@code deadline-ms = 10000 of role reader}. */
    @Override
    public String toString() {
        return kind.text() + " = " + value + " of role " + role.text();
    }
}
