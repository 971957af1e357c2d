package io.uniserve.benchmark.chaos;

import io.uniserve.cli.command.Console;
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

/** History of a run: one JSON object per line, in the order of events. Thread-safe. */
final class HistoryFileWriter implements AutoCloseable {
    private final BufferedWriter out;

    HistoryFileWriter(Path file) {
        try {
            Path parent = file.toAbsolutePath().getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            out = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "--history " + file + " could not be written: " + e + "; name another file", e);
        }
    }

    /**
     * Writes one event.
     *
     * @param type {@code invoke}, {@code ok}, {@code fail} for operations that certainly had no effect, {@code info} for those that may
     *     have had one
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
