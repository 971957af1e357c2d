package io.uniserve.cli.bench.measure;

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
 * Gives the threads of each side in this process a core of its own, as if it were on a machine of its own, by Linux's
 * {@code taskset}. Two sides that hand each other work are otherwise put on one core now and then, with the other one idle.
 * Until it is closed, when all threads may run on all cores again. Not thread-safe.
 */
public final class Cores implements AutoCloseable {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final String ALLOWED = "Cpus_allowed_list:";
    /** Linux cuts the names of threads. */
    private static final int NAME_LENGTH_MAX = 15;

    private final String allowed;
    private final List<Integer> cores;

    private Cores(String allowed) {
        this.allowed = allowed;
        this.cores = parse(allowed);
    }

    /** Those that this process may use, none where it is not told or there is no {@code taskset}. */
    public static Cores ofThisProcess() {
        try {
            String allowed = allowedTo(Path.of("/proc/self"));
            return new Cores(allowed.isEmpty() || run("--version") != 0 ? "" : allowed);
        } catch (IOException e) {
            return new Cores(""); // no taskset, or not Linux
        }
    }

    /** How many there are. */
    public int count() {
        return cores.size();
    }

    /** Puts all threads with names that begin with one of these on one core. */
    public void give(int core, List<String> names) {
        try (Stream<Path> tasks = Files.list(TASKS)) {
            for (Path task : tasks.toList()) {
                String name = nameOf(task);
                if (names.stream().anyMatch(prefix -> name.startsWith(cut(prefix)))) {
                    pin(cores.get(core).toString(), task);
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** All threads may run on all cores again. */
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
            throw new IOException("taskset ends with " + exit);
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
        return new UniserveException(ErrorCode.IO, "cannot choose the cores of threads: " + cause.getMessage(), cause);
    }

    private static String cut(String name) {
        return name.substring(0, Math.min(name.length(), NAME_LENGTH_MAX));
    }

    private static String nameOf(Path task) throws IOException {
        try {
            return Files.readString(task.resolve("comm")).strip();
        } catch (NoSuchFileException e) {
            return ""; // it has ended
        }
    }

    /** Empty for one that has ended. */
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

    /** As in {@code 0-3,8}. */
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
