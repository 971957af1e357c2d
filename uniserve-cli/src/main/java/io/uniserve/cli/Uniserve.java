package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterConnector;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.GlobalOptions;
import io.uniserve.cli.command.RootCommand;
import io.uniserve.cli.command.Version;
import io.uniserve.model.Address;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** Root command, with the options that every subcommand inherits. */
@Command(
        name = "uniserve",
        scope = ScopeType.INHERIT,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        usageHelpAutoWidth = true,
        sortOptions = false,
        synopsisSubcommandLabel = "COMMAND",
        description = "Turns a single-node query engine into a distributed query serving system.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done",
            "1:a check, demo, bench or simulation did not pass",
            "2:the command line is wrong",
            "3:the request is refused: a name, a value, a document (codes 1xxx)",
            "4:a limit or a resource is exhausted (codes 2xxx)",
            "5:the cluster cannot be reached or did not answer in time (codes 3xxx)",
            "6:a fault inside Uniserve or a port (codes 4xxx, 5xxx)",
            "143:a daemon ended by a second SIGTERM, or by one before it served (Ctrl-C: 130, SIGHUP: 129)"
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve dev                             a whole cluster in one process",
            "  uniserve table create speeches --engine solr --actors 8",
            "  uniserve load speeches europarl.jsonl",
            "  uniserve query speeches 'q=text:parliament&rows=3'",
            "  uniserve status"
        })
final class Uniserve implements RootCommand, Callable<Integer> {
    private static final String BOOTSTRAP_DEFAULT = "127.0.0.1:7070,127.0.0.1:7071";

    private static final List<String> ORDER = List.of(
            "dev",
            "zookeeper",
            "coordinator",
            "server",
            "table",
            "load",
            "query",
            "sql",
            "status",
            "ready",
            "move",
            "drain",
            "replicate",
            "scaler",
            "backup",
            "restore",
            "queries",
            "storage",
            "trash",
            "verify",
            "demo",
            "simulate",
            "chaos",
            "ensemble-member",
            "place",
            "explain",
            "simulate-cluster",
            "bench");

    private final Console console;
    private final ClusterConnector connector;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-b", "--bootstrap"},
            scope = ScopeType.INHERIT,
            paramLabel = "HOST:PORT,...",
            description =
                    "Servers or coordinators to connect to first (environment: UNISERVE_BOOTSTRAP; default: those of"
                            + " --config, or 127.0.0.1:7070,127.0.0.1:7071).")
    private @Nullable String bootstrap;

    @Option(
            names = {"-o", "--output"},
            scope = ScopeType.INHERIT,
            paramLabel = "text|json",
            defaultValue = "text",
            description = "Form of the answer (default: text).")
    private GlobalOptions.Output output = GlobalOptions.Output.TEXT;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Log more; with a failure, its stack trace.")
    private boolean verbose;

    Uniserve(Console console, ClusterConnector connector) {
        this.console = console;
        this.connector = connector;
    }

    @Override
    public Integer call() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    @Override
    public Console console() {
        return console;
    }

    ClusterConnector connector() {
        return connector;
    }

    @Override
    public GlobalOptions options() {
        return new GlobalOptions(output, verbose);
    }

    @Override
    public List<String> order() {
        return ORDER;
    }

    /**
     * Returns the addresses of the command line, or else of the environment.
     *
     * @param configured true if a configuration has addresses: then the result is empty without either
     */
    List<Address> bootstrap(boolean configured) {
        String given = bootstrap == null ? System.getenv("UNISERVE_BOOTSTRAP") : bootstrap;
        return given == null && configured ? List.of() : addresses(given == null ? BOOTSTRAP_DEFAULT : given);
    }

    private List<Address> addresses(String text) {
        List<String> words = Arrays.stream(text.split(","))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
        if (words.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--bootstrap is empty; give HOST:PORT,...");
        }
        return words.stream().map(Address::parse).toList();
    }
}
