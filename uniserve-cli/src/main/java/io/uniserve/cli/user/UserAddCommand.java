package io.uniserve.cli.user;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.model.access.RoleGrant;
import io.uniserve.model.access.UserCredential;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve user add}. */
@Command(
        name = "add",
        description = "Gives a password to a user that has none. All processes know it within two seconds.",
        footer = {
            "  uniserve user add ann",
            "  uniserve user add ann --new-password-file ann.password",
            "  uniserve grant ann reader orders"
        })
final class UserAddCommand extends NewPasswordCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "Name of the user.")
    private String name = "";

    @Override
    public Integer call() {
        RoleGrant.checkUser(name);
        checkIterations();
        UserCredential credential = newCredential(name);
        try (ClusterClient cluster = connect()) {
            cluster.putUser(credential, true);
        }
        print(name, "added");
        return ExitCode.OK;
    }
}
