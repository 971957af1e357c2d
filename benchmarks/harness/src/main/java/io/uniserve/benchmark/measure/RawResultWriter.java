package io.uniserve.benchmark.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Raw output of a bench. A tab-separated line per operation ({@code op scenario threads side round thread latency_ns}), and one per block
 * ({@code block scenario threads side round wall_ms cpu_ms}). Every ratio can be computed from it.
 */
public final class RawResultWriter implements AutoCloseable {
    private final @Nullable BufferedWriter out;

    /** Writes to the file, or discards the output if it is null. */
    public RawResultWriter(@Nullable Path file) {
        try {
            this.out = file == null ? null : Files.newBufferedWriter(file);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "--raw: cannot write " + file, e);
        }
    }

    /** Writes the latencies of operations, by thread, and the line of their block. */
    public void write(
            PairedBenchmark.Load load,
            String side,
            int round,
            List<long[]> latencies,
            BenchmarkIteration benchmarkIteration) {
        if (out == null) {
            return;
        }
        String key = load.scenario() + "\t" + load.threads() + "\t" + side + "\t" + round;
        try {
            for (int thread = 0; thread < latencies.size(); thread++) {
                for (long latency : latencies.get(thread)) {
                    out.write("op\t" + key + "\t" + thread + "\t" + latency + "\n");
                }
            }
            out.write(String.format(
                    Locale.ROOT,
                    "block\t%s\t%.3f\t%.3f%n",
                    key,
                    benchmarkIteration.wallMs(),
                    benchmarkIteration.cpuMs()));
            out.flush();
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "--raw: cannot write", e);
        }
    }

    /** Writes a line of another kind, its fields separated by tabs. */
    public void line(Object... fields) {
        if (out == null) {
            return;
        }
        try {
            out.write(Arrays.stream(fields).map(String::valueOf).collect(Collectors.joining("\t", "", "\n")));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "--raw: cannot write", e);
        }
    }

    @Override
    public void close() {
        try {
            if (out != null) {
                out.close();
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "--raw: cannot write", e);
        }
    }
}
