package io.uniserve.cli.audit;

import io.uniserve.cli.command.CommandGroup;
import picocli.CommandLine.Command;

/** {@code uniserve audit}. */
@Command(
        name = "audit",
        description = "Verifies and shows the audit log in a directory. Neither command needs a running cluster.",
        subcommands = {AuditVerifyCommand.class, AuditTailCommand.class},
        footer = {"  uniserve audit verify audit/server", "  uniserve audit tail audit/server --refused --follow"})
public final class AuditCommand extends CommandGroup {}
