package io.uniserve.cli.security;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve security}. */
@Command(
        name = "security",
        description =
                "Makes, shows and revokes identities of processes and users, and checks what each kind of caller may do.",
        subcommands = {
            SecurityInitCommand.class,
            SecurityIssueCommand.class,
            SecurityStatusCommand.class,
            SecurityRevokeCommand.class,
            SecurityCheckCommand.class,
            SecurityZooKeeperCommand.class
        },
        footer = {
            "  uniserve security init authority --cluster main",
            "  uniserve security issue server s1 --host 10.0.0.7 --authority authority --out s1",
            "  uniserve security issue user ann --authority authority --out ann",
            "  uniserve security status",
            "  uniserve security revoke user/ann",
            "  uniserve security zookeeper --check --config /etc/uniserve.conf"
        })
public final class SecurityCommand extends CommandGroup {}
