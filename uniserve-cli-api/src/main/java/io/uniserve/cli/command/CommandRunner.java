package io.uniserve.cli.command;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Runner of a root command with all {@link CliCommand} of the class path as subcommands. */
public final class CommandRunner {
    private static final int HELP_WIDTH = 110;

    private final RootCommand root;

    public CommandRunner(RootCommand root) {
        this.root = root;
    }

    /** Runs the command in this process; returns the exit code. */
    public int run(String... args) {
        try {
            return commandLine().execute(args);
        } catch (Error e) {
            // Otherwise this thread would end and the other threads would keep an idle process alive.
            return new ErrorReportHandler(root.console()).report(e, true);
        }
    }

    /** Creates the command line, with subcommands in the order of the help. */
    public CommandLine commandLine() {
        Console console = root.console();
        CommandLine line = new CommandLine(root);
        subcommands().forEach(line::addSubcommand);
        ErrorReportHandler errors = new ErrorReportHandler(console);
        line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler(errors);
        line.setExecutionExceptionHandler(errors);
        line.setExecutionStrategy(parsed -> {
            Logging.verbose(root.options().verbose());
            return new CommandLine.RunLast().execute(parsed);
        });
        return line;
    }

    /** The order of jars in a folder on the class path is not defined, so the order of services is not either. */
    private List<CliCommand> subcommands() {
        List<CliCommand> commands = new ArrayList<>();
        ServiceLoader.load(CliCommand.class).forEach(commands::add);
        List<String> order = root.order();
        commands.sort(Comparator.comparing((CliCommand command) ->
                        order.contains(name(command)) ? order.indexOf(name(command)) : order.size())
                .thenComparing(CommandRunner::name));
        return commands;
    }

    private static String name(CliCommand command) {
        Command annotation = command.getClass().getAnnotation(Command.class);
        return annotation == null ? "" : annotation.name();
    }
}
