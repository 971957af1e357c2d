package io.uniserve.cli;

import io.uniserve.cli.cluster.ClusterConnector;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.PasswordPrompt;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Runner of commands in this process that captures their output. */
public final class TestingConsole {
    private final ClusterConnector connector;
    private byte[] input = new byte[0];
    private PasswordPrompt passwords = PasswordPrompt.NONE;

    public TestingConsole(ClusterConnector connector) {
        this.connector = connector;
    }

    /** For commands that need no cluster; a connection fails. */
    public static TestingConsole alone() {
        return new TestingConsole(bootstrap -> {
            throw new AssertionError("asked the cluster at " + bootstrap);
        });
    }

    /** Exit code and output of a command. */
    public record Run(int exit, String out, String err) {
        /** Lines of the answer. */
        public List<String> lines() {
            return out.lines().toList();
        }
    }

    /** Sets the standard input of the next commands. */
    public TestingConsole input(String text) {
        return input(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Sets the standard input of the next commands, as bytes. */
    public TestingConsole input(byte[] bytes) {
        input = bytes.clone();
        return this;
    }

    /** Sets the prompt for passwords of the next commands; without it there is no terminal. */
    public TestingConsole passwords(PasswordPrompt prompt) {
        passwords = prompt;
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
                false,
                passwords);
        int exit = Main.run(console, connector, args);
        return new Run(exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
