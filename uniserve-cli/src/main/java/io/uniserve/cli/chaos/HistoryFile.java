package io.uniserve.cli.chaos;

import io.uniserve.cli.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The history of a run, a JSON object a line, in the order in which things happened. Safe for use by several threads. */
final class HistoryFile implements AutoCloseable {
    private final BufferedWriter out;

    HistoryFile(Path file) {
        try {
            Path parent = file.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "--history " + file + " cannot be written: " + e + "; name another file", e);
        }
    }

    /**
     * Writes one event.
     *
     * @param type {@code invoke}, {@code ok}, {@code fail} for what has certainly not happened, {@code info} for what may have
     */
    synchronized void write(String process, String type, String f, Map<String, @Nullable Object> value, long nanos) {
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("process", process);
        line.put("type", type);
        line.put("f", f);
        line.put("value", value);
        line.put("time_ns", nanos);
        try {
            out.write(Console.toJson(line));
            out.write('\n');
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "the history cannot be written", e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }
}
