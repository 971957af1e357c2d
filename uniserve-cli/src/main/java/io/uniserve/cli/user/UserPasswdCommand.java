package io.uniserve.cli.user;

import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.RoleGrant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code uniserve user passwd}. */
@Command(
        name = "passwd",
        description = {
            "Changes the password of a user; without a name, that of the caller.",
            "Logins with the old password end within two seconds, also on connections that are open."
        },
        footer = {"  uniserve user passwd ann", "  uniserve user passwd --user ann --tls-trust trust.pem"})
final class UserPasswdCommand extends NewPasswordCommand {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "NAME",
            description = "Name of the user (default: the caller).")
    private @Nullable String name;

    @Override
    public Integer call() {
        if (name != null) {
            RoleGrant.checkUser(name);
        }
        checkIterations();
        String changed;
        try (ClusterClient cluster = connect()) {
            changed = name == null ? cluster.grants("").user() : name;
            if (changed.isEmpty()) {
                throw UniserveException.invalid(
                        "the caller is no user: name the user whose password changes, or log in with --user NAME");
            }
            cluster.putUser(newCredential(changed), false);
        }
        print(changed, "changed");
        return ExitCode.OK;
    }
}
