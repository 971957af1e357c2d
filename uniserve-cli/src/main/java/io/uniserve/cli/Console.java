package io.uniserve.cli;

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

/**
 * Where a command reads and writes. Answers and results go to {@link #out()}, everything else to {@link #err()}; both are
 * UTF-8 whatever the locale. Thread-safe, as its streams are.
 *
 * @param terminal true when a person watches {@code err}, so that a progress bar may redraw itself
 */
public record Console(InputStream in, PrintStream out, PrintStream err, boolean terminal) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /**
     * The process's own streams. From then on nothing else can write to standard output: libraries that print there write to
     * standard error.
     */
    static Console ofProcess() {
        PrintStream out = stream(FileDescriptor.out);
        PrintStream err = stream(FileDescriptor.err);
        System.setOut(err);
        System.setErr(err);
        return new Console(new FileInputStream(FileDescriptor.in), out, err, Boolean.getBoolean("uniserve.terminal"));
    }

    private static PrintStream stream(FileDescriptor descriptor) {
        return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
    }

    /** One line of the answer. */
    public void println(String line) {
        out.println(line);
    }

    /** One line of the answer, a value as JSON: maps, lists, texts, numbers. */
    public void json(Object value) {
        out.println(toJson(value));
    }

    /** A value as JSON, on one line. */
    public static String toJson(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "cannot write the result as JSON", e);
        }
    }

    /** A failure as one line {@code uniserve: CODE: message} on the error stream. */
    public void failure(String code, String message) {
        // Control characters would let a name from outside rewrite the terminal.
        String line = message.strip().replaceAll("\\s*\\R\\s*", " | ").replaceAll("\\p{Cntrl}", "?");
        err.println("uniserve: " + code + ": " + line);
    }

    /** A line for whoever watches, apart from the answer. */
    public void note(String line) {
        err.println(line);
    }
}
