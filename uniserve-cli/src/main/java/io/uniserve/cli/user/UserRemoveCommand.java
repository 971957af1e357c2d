package io.uniserve.cli.user;

import io.uniserve.cli.ClientCommand;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.access.RoleGrant;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve user remove}. */
@Command(
        name = "remove",
        description = {
            "Removes the password of a user. Its logins end within two seconds.",
            "Roles of the user stay, and hold for a certificate with this name: take them by uniserve revoke."
        },
        footer = "  uniserve user remove ann")
final class UserRemoveCommand extends ClientCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the user.")
    private String name = "";

    @Override
    public Integer call() {
        RoleGrant.checkUser(name);
        List<RoleGrant> roles;
        try (ClusterClient cluster = connect()) {
            cluster.removeUser(name);
            roles = cluster.grants(name).grants();
        }
        if (global().isJson()) {
            console().json(Map.of("user", name, "done", "removed", "roles", roles.size()));
            return ExitCode.OK;
        }
        console().println("removed user " + name);
        roles.forEach(role -> console().note("role " + role + " stays: take it by uniserve revoke " + role));
        return ExitCode.OK;
    }
}
