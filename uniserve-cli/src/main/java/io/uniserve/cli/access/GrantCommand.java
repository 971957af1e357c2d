package io.uniserve.cli.access;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.access.RoleGrant;
import picocli.CommandLine.Command;

/** {@code uniserve grant}. */
@Command(
        name = "grant",
        description = {
            "Gives a role to a user, in a cluster in mode closed. All processes apply it within two seconds.",
            "reader: reads rows. writer: reads and changes rows. monitor: sees the state of the cluster. operator: also"
                    + " moves, drains and backs up. admin: everything, also tables, restorations and grants."
        },
        footer = {
            "  uniserve grant ann writer 'logs-*'",
            "  uniserve grant bob reader orders",
            "  uniserve grant eve operator"
        })
public final class GrantCommand extends GrantArguments {
    @Override
    public Integer call() {
        RoleGrant grant = grant();
        try (ClusterClient cluster = connect()) {
            cluster.changeGrant(grant, false);
        }
        print(grant, true);
        return ExitCode.OK;
    }
}
