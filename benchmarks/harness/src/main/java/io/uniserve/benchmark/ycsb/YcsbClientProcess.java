package io.uniserve.benchmark.ycsb;

import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs of the YCSB client, one process per run. Not thread-safe. */
final class YcsbClientProcess {
    private static final String MAIN = "site.ycsb.Client";
    private static final String HEAP = "-Xmx512m";
    private static final int TAIL_LINES = 15;
    private static final Pattern STATUS = Pattern.compile(".* (\\d+) sec: (\\d+) operations;.*");
    /** Marks of the binding: all threads begin, and the last one has ended. */
    private static final String STARTED = "uniserve-ycsb started";

    private static final String ENDED = "uniserve-ycsb ended";
    /** Begin of the binding's own messages. */
    private static final String MESSAGE = "uniserve-ycsb: ";

    private final Path directory;
    private final @Nullable Path raw;
    private final Console console;
    private final LongSupplier nanos;
    private int runs;

    /** @param raw folder for YCSB's own output; null for none */
    YcsbClientProcess(Path directory, @Nullable Path raw, Console console, LongSupplier nanos) {
        this.directory = directory;
        this.raw = raw;
        this.console = console;
        this.nanos = nanos;
    }

    /**
     * Size of a run.
     *
     * @param target operations per second; 0 for as many as possible
     * @param warmUp operations before these
     */
    record Load(long records, long operations, int threads, int target, int warmUp) {}

    /**
     * Figures of a run.
     *
     * @param cpuMs of the client and the servers together
     * @param millis from the common start of all threads to the end of the last
     */
    record Run(YcsbOutput output, double cpuMs, double millis) {
        double cpuMsPerOperation() {
            return cpuMs / Math.max(1, output.transactions());
        }

        double perSecond() {
            return 1_000 * output.transactions() / millis;
        }
    }

    /** CPU of the servers and wall time between the marks that the binding prints. */
    private static final class Interval {
        private final CpuMeter servers;
        private final LongSupplier nanos;
        private double cpuMs;
        private double millis;

        private Interval(List<Long> pids, LongSupplier nanos) {
            this.servers = new CpuMeter(pids, false);
            this.nanos = nanos;
        }

        private void add(int sign) {
            cpuMs += sign * servers.totalMs();
            millis += sign * (nanos.getAsLong() / 1e6);
        }
    }

    /** Returns the folder of YCSB's jars. Fails with INVALID_CONFIGURATION if there is none. */
    static Path folder() {
        Path folder = JavaLauncher.ofThisProcess()
                .home()
                .resolve("peers")
                .resolve("ycsb")
                .resolve("lib");
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                if (files.anyMatch(file -> file.getFileName().toString().startsWith("uniserve-benchmark-ycsb"))) {
                    return folder;
                }
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot list " + folder, e);
            }
        }
        throw new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "YCSB is not in " + folder
                        + ". In the source tree run: ./mvnw -B -pl :uniserve-cli -am -DskipTests package");
    }

    /** Loads all records. Fails with INTERNAL if any insert fails. */
    void load(YcsbSide side, YcsbWorkload workload, Load load, int batch) {
        Map<String, String> more = Map.of("uniserve.batch", Integer.toString(batch));
        Run run =
                run("load", side, workload.with(more), new Load(load.records(), load.records(), load.threads(), 0, 0));
        check(side, "load", run.output(), load.records());
    }

    /** Runs the operations of a workload. */
    Run run(YcsbSide side, YcsbWorkload workload, Load load) {
        return run("t", side, workload, load);
    }

    private static void check(YcsbSide side, String label, YcsbOutput output, long operations) {
        if (!output.failures().isEmpty() || output.transactions() != operations) {
            throw new UniserveException(
                    ErrorCode.INTERNAL,
                    side.name() + ", " + label + ": " + output.transactions() + " of " + operations
                            + " operations; failed: " + output.failures());
        }
    }

    private Run run(String phase, YcsbSide side, YcsbWorkload workload, Load load) {
        String label = (phase.equals("load") ? "load" : "workload " + workload.name()) + ", " + side.name();
        String file = String.format(
                Locale.ROOT,
                "%03d-%s-%s-%s",
                ++runs,
                phase,
                workload.name(),
                side.name().replaceAll("\\W+", "-"));
        Map<String, String> properties = new TreeMap<>(workload.properties());
        properties.putAll(side.properties());
        properties.put("recordcount", Long.toString(load.records()));
        properties.put("operationcount", Long.toString(load.operations()));
        properties.put("threadcount", Integer.toString(load.threads()));
        if (phase.equals("t")) {
            properties.put("uniserve.warm-up", Integer.toString(load.warmUp()));
        }
        if (load.target() > 0) {
            properties.put("target", Integer.toString(load.target()));
        }
        Path given = directory.resolve(file + ".properties");
        Path out = directory.resolve(file + ".out");
        try {
            Files.createDirectories(directory);
            List<String> lines = new ArrayList<>();
            properties.forEach((key, value) -> lines.add(key + "=" + value));
            Files.write(given, lines);
            Interval interval = new Interval(side.pids(), nanos);
            execute(label, command(phase, side, given), out, load.operations(), interval);
            YcsbOutput output = YcsbOutput.parse(Files.readAllLines(out));
            if (raw != null) {
                Files.createDirectories(raw);
                Files.write(raw.resolve(file + ".txt"), Files.readAllLines(out));
            }
            return new Run(output, interval.cpuMs + output.clientCpuMs(), interval.millis);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read or write " + directory, e);
        }
    }

    private static List<String> command(String phase, YcsbSide side, Path properties) {
        JavaLauncher java = JavaLauncher.ofThisProcess();
        String path = folder().resolve("*") + File.pathSeparator + java.classPath();
        return new JavaLauncher(java.java(), java.home(), path, MAIN, java.flags())
                .commandLine(HEAP, List.of("-" + phase, "-s", "-db", side.binding(), "-P", properties.toString()));
    }

    private void execute(String label, List<String> command, Path out, long operations, Interval interval)
            throws IOException {
        Process process =
                new ProcessBuilder(command).redirectOutput(out.toFile()).start();
        process.getOutputStream().close();
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), nanos, label, operations);
        Deque<String> tail = new ArrayDeque<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Matcher status = STATUS.matcher(line);
                if (line.equals(STARTED) || line.equals(ENDED)) {
                    interval.add(line.equals(ENDED) ? 1 : -1);
                    continue;
                }
                if (status.matches()) {
                    progress.update(Long.parseLong(status.group(2)), status.group(1) + " s");
                    continue;
                }
                tail.addLast(line);
                if (tail.size() > TAIL_LINES) {
                    tail.removeFirst();
                }
                if (line.startsWith(MESSAGE)) {
                    console.note(label + ": " + line.substring(MESSAGE.length()));
                }
            }
            progress.finish();
            int exit = process.waitFor();
            if (exit != 0) {
                throw new UniserveException(
                        ErrorCode.INTERNAL,
                        label + ": the YCSB client ended with " + exit + ":\n" + String.join("\n", tail));
            }
            if (tail.stream().anyMatch(line -> line.contains("Exception"))) {
                throw new UniserveException(
                        ErrorCode.INTERNAL, label + ": the YCSB client failed:\n" + String.join("\n", tail));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        } finally {
            if (process.isAlive()) {
                process.toHandle().destroyForcibly();
            }
        }
    }
}
