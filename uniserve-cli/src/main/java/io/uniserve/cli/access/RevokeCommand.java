package io.uniserve.cli.access;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.access.RoleGrant;
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
            cluster.changeGrant(grant, true);
        }
        print(grant, false);
        return ExitCode.OK;
    }
}
