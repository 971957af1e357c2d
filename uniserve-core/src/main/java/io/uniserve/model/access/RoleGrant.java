package io.uniserve.model.access;

import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Rule that gives a user a role.
 *
 * @param user name in the identity of the user's certificate
 * @param tables tables of the role; {@link TablePattern#ALL} for a role of the cluster
 */
public record RoleGrant(String user, Role role, TablePattern tables) implements Comparable<RoleGrant> {
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");

    private static final Comparator<RoleGrant> ORDER =
            Comparator.comparing(RoleGrant::user).thenComparing(RoleGrant::role).thenComparing(RoleGrant::tables);

    /** Fails with INVALID_ARGUMENT if the user's name is malformed, or a role of the cluster has tables. */
    public RoleGrant {
        checkUser(user);
        if (!role.isOfTables() && !tables.equals(TablePattern.ALL)) {
            throw UniserveException.invalid(
                    "role " + role.text() + " is of the whole cluster: give no table, or use reader or writer");
        }
    }

    /** Returns the name if it can be a user's. Fails with INVALID_ARGUMENT otherwise. */
    public static String checkUser(String user) {
        if (!USER.matcher(user).matches()) {
            throw UniserveException.invalid(
                    "name of a user: use letters, digits, dots, _ or -, at most 64 characters, no dot or - in front");
        }
        return user;
    }

    /** True if the rule gives the right; for a right of a table, on this table, and without a table never. */
    public boolean gives(Right right, Optional<TableName> table) {
        return role.includes(right) && table.map(tables::matches).orElse(!right.isOfTable());
    }

    @Override
    public int compareTo(RoleGrant other) {
        return ORDER.compare(this, other);
    }

    /** The rule as on the command line, such as {@code ann writer logs-*}. */
    @Override
    public String toString() {
        return user + " " + role.text() + (role.isOfTables() ? " " + tables : "");
    }
}
