package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterConnector;
import io.uniserve.cli.command.Console;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runs commands in this process and keeps what they print. */
public final class TestingConsole {
    private final ClusterConnector connector;
    private byte[] input = new byte[0];

    public TestingConsole(ClusterConnector connector) {
        this.connector = connector;
    }

    /** For commands that need no cluster: one that asks for it fails. */
    public static TestingConsole alone() {
        return new TestingConsole(bootstrap -> {
            throw new AssertionError("asked the cluster at " + bootstrap);
        });
    }

    /** A command's exit code and output. */
    public record Run(int exit, String out, String err) {
        /** The lines of the answer. */
        public List<String> lines() {
            return out.lines().toList();
        }
    }

    /** What the next commands read from standard input. */
    public TestingConsole input(String text) {
        return input(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same, byte by byte. */
    public TestingConsole input(byte[] bytes) {
        input = bytes.clone();
        return this;
    }

    /** Runs {@code uniserve} with these arguments. */
    public Run run(String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                new ByteArrayInputStream(input),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false);
        int exit = Main.run(console, connector, args);
        return new Run(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
