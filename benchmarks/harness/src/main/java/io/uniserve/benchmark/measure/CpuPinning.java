package io.uniserve.benchmark.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Pinning of this process's threads by Linux's {@code taskset}: each side gets a core of its own, like a machine of its own. Without it the
 * scheduler sometimes puts two sides that exchange data on one core and leaves the other idle. Closing it removes the pinning. Not
 * thread-safe.
 */
public final class CpuPinning implements AutoCloseable {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String ALLOWED = "Cpus_allowed_list:";
    /** Linux truncates thread names. */
    private static final int NAME_LENGTH_MAX = 15;

    private final String allowed;
    private final List<Integer> cores;

    private CpuPinning(String allowed) {
        this.allowed = allowed;
        this.cores = parse(allowed);
    }

    /** Returns the cores that this process may use; none if they are unknown or there is no {@code taskset}. */
    public static CpuPinning ofThisProcess() {
        try {
            String allowed = allowedTo(Path.of("/proc/self"));
            return new CpuPinning(allowed.isEmpty() || run("--version") != 0 ? "" : allowed);
        } catch (IOException e) {
            return new CpuPinning(""); // no taskset, or not Linux
        }
    }

    /** Returns the number of cores. */
    public int count() {
        return cores.size();
    }

    /** Pins all threads whose names start with one of these to one core. */
    public void pinThreads(int core, List<String> names) {
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : tasks.toList()) {
                String name = nameOf(task);
                if (names.stream().anyMatch(prefix -> name.startsWith(truncateName(prefix)))) {
                    pin(cores.get(core).toString(), task);
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Allows all threads on all cores again. */
    @Override
    public void close() {
        if (cores.isEmpty()) {
            return;
        }
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : tasks.toList()) {
                if (!allowedTo(task).equals(allowed)) {
                    pin(allowed, task);
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static void pin(String cores, Path task) throws IOException {
        int exit = run("-pc", cores, task.getFileName().toString());
        if (exit != 0 && Files.exists(task)) {
            throw new IOException("taskset ended with exit code " + exit);
        }
    }

    private static int run(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("taskset"));
        command.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
    }

    private static UniserveException failed(IOException cause) {
        return new UniserveException(ErrorCode.IO, "cannot pin threads to cores: " + cause.getMessage(), cause);
    }

    private static String truncateName(String name) {
        return name.substring(0, Math.min(name.length(), NAME_LENGTH_MAX));
    }

    private static String nameOf(Path task) throws IOException {
        try {
            return Files.readString(task.resolve("comm")).strip();
        } catch (NoSuchFileException e) {
            return ""; // the thread has ended
        }
    }

    /** Returns the allowed cores of a thread; empty if it has ended. */
    static String allowedTo(Path task) throws IOException {
        try (Stream<String> lines = Files.lines(task.resolve("status"))) {
            return lines.filter(line -> line.startsWith(ALLOWED))
                    .map(line -> line.substring(ALLOWED.length()).strip())
                    .findFirst()
                    .orElse("");
        } catch (NoSuchFileException e) {
            return "";
        }
    }

    /** Parses a list such as {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        List<Integer> all = new ArrayList<>();
        for (String range : list.isEmpty() ? new String[0] : list.split(",")) {
            String[] ends = range.split("-");
            for (int core = Integer.parseInt(ends[0]); core <= Integer.parseInt(ends[ends.length - 1]); core++) {
                all.add(core);
            }
        }
        return List.copyOf(all);
    }
}
