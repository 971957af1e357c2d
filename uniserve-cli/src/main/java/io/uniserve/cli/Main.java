package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterConnector;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.process.ParentProcessWatcher;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.ServiceLoader;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;

/** Entry point of the {@code uniserve} command. */
public final class Main {
    private static final int HELP_WIDTH = 110;

    private Main() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        ParentProcessWatcher.follow();
        Locale.setDefault(Locale.ROOT);
        Console console = Console.ofProcess();
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        System.exit(run(console, RemoteCluster::connect, args));
    }

    /** Runs the command in this process; returns the exit code. */
    public static int run(Console console, ClusterConnector connector, String... args) {
        try {
            return commandLine(console, connector).execute(args);
        } catch (Error e) {
            // Otherwise this thread would end and the other threads would keep an idle process alive.
            return new ErrorReport(console).report(e, true);
        }
    }

    static CommandLine commandLine(Console console, ClusterConnector connector) {
        CommandLine line = new CommandLine(new Uniserve(console, connector));
        ServiceLoader.load(CliCommand.class).forEach(line::addSubcommand);
        ErrorReport errors = new ErrorReport(console);
        line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.setUsageHelpWidth(HELP_WIDTH);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setParameterExceptionHandler(errors);
        line.setExecutionExceptionHandler(errors);
        line.setExecutionStrategy(parsed -> {
            Logging.verbose(((Uniserve) parsed.commandSpec().root().userObject()).verbose());
            return new CommandLine.RunLast().execute(parsed);
        });
        return line;
    }
}
