package io.uniserve.model.registry;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.access.LimitKind;
import io.uniserve.model.access.Revocation;
import io.uniserve.model.access.Right;
import io.uniserve.model.access.Role;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.RoleLimit;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * All rules of a cluster. What no rule permits, and what a revoked certificate shows, is refused. Immutable.
 *
 * <pre>{@code
 * rules.permits("ann", Right.READ, Optional.of(new TableName("logs")));
 * }</pre>
 *
 * @param grants the rules, in order and without duplicates
 * @param revocations certificates and identities that are not accepted, in order and without duplicates
 * @param limits limits on the requests of users, in order, at most one per role and kind
 */
public record AccessRules(List<RoleGrant> grants, List<Revocation> revocations, List<RoleLimit> limits)
        implements RegistryValue {
    /** No rule. */
    public static final AccessRules NONE = new AccessRules(List.of());

    public AccessRules {
        grants = List.copyOf(new TreeSet<>(grants));
        if (grants.size() > Limits.GRANTS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    grants.size() + " grants: at most " + Limits.GRANTS_MAX + "; use patterns of tables");
        }
        revocations = List.copyOf(new TreeSet<>(revocations));
        if (revocations.size() > Limits.REVOCATIONS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    revocations.size() + " revocations: at most " + Limits.REVOCATIONS_MAX
                            + "; remove those of certificates that have ended");
        }
        limits = List.copyOf(new TreeSet<>(limits));
        for (int i = 1; i < limits.size(); i++) {
            if (isSame(limits.get(i - 1), limits.get(i).role(), limits.get(i).kind())) {
                throw UniserveException.invalid("two limits " + limits.get(i - 1) + " and "
                        + limits.get(i).value());
            }
        }
    }

    /** Rules without revocations and limits. */
    public AccessRules(List<RoleGrant> grants) {
        this(grants, List.of(), List.of());
    }

    /**
     * True if a rule gives the user the right.
     *
     * @param table the table, for a right of a table; empty for a right of the cluster
     */
    public boolean permits(String user, Right right, Optional<TableName> table) {
        return right == Right.CONNECT
                || grants.stream().anyMatch(grant -> grant.user().equals(user) && grant.gives(right, table));
    }

    /** The rules of one user. */
    public List<RoleGrant> of(String user) {
        return grants.stream().filter(grant -> grant.user().equals(user)).toList();
    }

    /** These rules and one more. */
    public AccessRules with(RoleGrant grant) {
        return new AccessRules(plus(grants, grant), revocations, limits);
    }

    /** These rules without one. */
    public AccessRules without(RoleGrant grant) {
        return new AccessRules(minus(grants, grant), revocations, limits);
    }

    /** These rules and one more. */
    public AccessRules with(Revocation revocation) {
        return new AccessRules(grants, plus(revocations, revocation), limits);
    }

    /** These rules without one. */
    public AccessRules without(Revocation revocation) {
        return new AccessRules(grants, minus(revocations, revocation), limits);
    }

    /** These rules with the limit, in place of another value. */
    public AccessRules with(RoleLimit limit) {
        return new AccessRules(grants, revocations, plus(without(limit.role(), limit.kind()).limits, limit));
    }

    /** These rules without a limit of the kind for the role. */
    public AccessRules without(Role role, LimitKind kind) {
        return new AccessRules(
                grants,
                revocations,
                limits.stream().filter(limit -> !isSame(limit, role, kind)).toList());
    }

    private static boolean isSame(RoleLimit limit, Role role, LimitKind kind) {
        return limit.role() == role && limit.kind() == kind;
    }

    private static <T> List<T> plus(List<T> list, T one) {
        return Stream.concat(list.stream(), Stream.of(one)).toList();
    }

    private static <T> List<T> minus(List<T> list, T one) {
        return list.stream().filter(other -> !other.equals(one)).toList();
    }
}
