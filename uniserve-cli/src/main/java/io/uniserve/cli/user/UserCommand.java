package io.uniserve.cli.user;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve user}. */
@Command(
        name = "user",
        description = {
            "Adds, changes, removes and lists users with a password, in a cluster in mode closed.",
            "The password itself is not sent and not stored. A user gets its rights by uniserve grant."
        },
        subcommands = {UserAddCommand.class, UserPasswdCommand.class, UserRemoveCommand.class, UserListCommand.class},
        footer = {
            "  uniserve user add ann",
            "  uniserve user passwd ann --new-password-file ann.password",
            "  uniserve user passwd --user ann --tls-trust trust.pem      the own password",
            "  uniserve user remove ann"
        })
public final class UserCommand extends CommandGroup {}
