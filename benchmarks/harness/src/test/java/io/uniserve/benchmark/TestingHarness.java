package io.uniserve.benchmark;

import io.uniserve.cli.command.CommandRunner;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.GlobalOptions;
import io.uniserve.cli.command.RootCommand;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine.Command;

/** Runs commands of this module in this process and keeps what they print. */
public final class TestingHarness {
    private TestingHarness() {}

    /** A command's exit code and output. */
    public record Run(int exit, String out, String err) {
        /** The lines of the answer. */
        public List<String> lines() {
            return out.lines().toList();
        }
    }

    @Command(name = "uniserve")
    private record Root(Console console) implements RootCommand {
        @Override
        public GlobalOptions options() {
            return new GlobalOptions(GlobalOptions.Output.TEXT, false);
        }

        @Override
        public List<String> order() {
            return List.of();
        }
    }

    /** Runs {@code uniserve} with these arguments. */
    public static Run run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false);
        int exit = new CommandRunner(new Root(console)).run(args);
        return new Run(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
