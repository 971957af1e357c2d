package io.uniserve.cli.command;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Streams of a command. Answers and results go to {@link #out()}, everything else to {@link #err()}. Both are UTF-8 in every locale.
 * Thread-safe, as its streams are.
 *
 * @param terminal true if {@code err} is a terminal, so that a progress bar may redraw itself
 * @param passwords prompt of {@link #readPassword}
 */
public record Console(InputStream in, PrintStream out, PrintStream err, boolean terminal, PasswordPrompt passwords) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** A console that cannot ask for passwords. */
    public Console(InputStream in, PrintStream out, PrintStream err, boolean terminal) {
        this(in, out, err, terminal, PasswordPrompt.NONE);
    }

    /**
     * Returns the console of the process's own streams, and redirects {@code System.out} to standard error: libraries that print cannot
     * disturb the answer.
     */
    public static Console ofProcess() {
        PrintStream out = stream(FileDescriptor.out);
        PrintStream err = stream(FileDescriptor.err);
        System.setOut(err);
        System.setErr(err);
        boolean terminal = Boolean.getBoolean("uniserve.terminal");
        PasswordPrompt passwords = terminal ? PasswordPrompt.ofProcess() : PasswordPrompt.NONE;
        return new Console(new FileInputStream(FileDescriptor.in), out, err, terminal, passwords);
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** Prints one line of the answer. */
    public void println(String line) {
        out.println(line);
    }

    /** Prints one line of the answer, a value as JSON: maps, lists, texts, numbers. */
    public void json(Object value) {
        out.println(toJson(value));
    }

    /** Returns a value as JSON, on one line. */
    public static String toJson(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "cannot write the result as JSON", e);
        }
    }

    /** Prints a failure as one line {@code uniserve: CODE: message} on the error stream. */
    public void failure(String code, String message) {
        // Control characters in a name could otherwise control the terminal.
        String line = message.strip().replaceAll("\\s*\\R\\s*", " | ").replaceAll("\\p{Cntrl}", "?");
        err.println("uniserve: " + code + ": " + line);
    }

    /** Asks for a password on the terminal, without an echo; empty if there is no terminal, or its input has ended. */
    public Optional<char[]> readPassword(String prompt) {
        return passwords.ask(prompt);
    }

    /** Prints a line on the error stream, apart from the answer. */
    public void note(String line) {
        err.println(line);
    }
}
