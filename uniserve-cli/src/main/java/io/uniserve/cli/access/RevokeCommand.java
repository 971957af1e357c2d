package io.uniserve.cli.access;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.RoleGrant;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;

/** {@code uniserve revoke}. */
@Command(
        name = "revoke",
        description = {
            "Takes a role from a user: the rule as it was granted, see uniserve grants. All processes apply it within two"
                    + " seconds, also to connections that are open.",
            "A user in the setting security.admins stays an admin."
        },
        footer = {"  uniserve revoke ann writer 'logs-*'", "  uniserve revoke eve operator"})
public final class RevokeCommand extends GrantArguments {
    @Override
    public Integer call() {
        RoleGrant grant = grant();
        try (ClusterClient cluster = connect()) {
            checkRule(
                    grant,
                    cluster.allGrants().grants().stream()
                            .filter(rule -> rule.user().equals(grant.user()))
                            .toList());
            cluster.changeGrant(grant, true);
        }
        print(grant, false);
        return ExitCode.OK;
    }

    /** Refuses what would change nothing: the user would keep its access by another rule. */
    private static void checkRule(RoleGrant grant, List<RoleGrant> rules) {
        if (!rules.contains(grant)) {
            throw UniserveException.invalid("there is no rule " + grant + "; "
                    + (rules.isEmpty()
                            ? "user " + grant.user() + " has none"
                            : "revoke a rule of this user as it was granted: "
                                    + rules.stream().map(RoleGrant::toString).collect(Collectors.joining(", "))));
        }
    }
}
