package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterConnector;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.CommandRunner;
import io.uniserve.cli.command.Console;
import io.uniserve.testkit.process.ParentProcessWatcher;
import java.util.Locale;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** Entry point of the {@code uniserve} command. */
public final class Main {
    private Main() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        ParentProcessWatcher.start();
        Locale.setDefault(Locale.ROOT);
        Console console = Console.ofProcess();
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        System.exit(run(console, RemoteCluster::connect, args));
    }

    /** Runs the command in this process; returns the exit code. */
    public static int run(Console console, ClusterConnector connector, String... args) {
        return runner(console, connector).run(args);
    }

    static CommandRunner runner(Console console, ClusterConnector connector) {
        return new CommandRunner(new Uniserve(console, connector));
    }
}
