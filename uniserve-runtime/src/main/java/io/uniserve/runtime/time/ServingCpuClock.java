package io.uniserve.runtime.time;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * CPU time of this process without the work that no query or update asks for: compilers of the JVM, merges of Lucene, checkpoints and
 * restores of actors. It reads {@code /proc}; on other systems it includes compilers and merges. {@link #nanos} is for one thread;
 * {@link #addBackground} is thread-safe.
 */
public final class ServingCpuClock {
    private static final Path TASKS = Path.of("/proc/self/task");
    private static final long NANOS_PER_TICK = 10_000_000;

    /** Starts of the names of threads, of which Linux keeps 15 characters. */
    private static final List<String> BACKGROUND_THREADS =
            List.of("C1 CompilerThre", "C2 CompilerThre", "Lucene Merge Th");

    private static final LongAdder BACKGROUND = new LongAdder();

    private final Map<String, Long> lastTicks = new HashMap<>();
    private long backgroundTicks;

    /** Counts CPU time of background work on a thread that also serves. */
    public static void addBackground(long nanos) {
        BACKGROUND.add(Math.max(0, nanos));
    }

    /** CPU time so far in nanoseconds; only differences are meaningful. It never goes back by more than a few ticks. */
    public long nanos() {
        readThreads();
        return CpuClock.processNanos() - backgroundTicks * NANOS_PER_TICK - BACKGROUND.sum();
    }

    private void readThreads() {
        if (!Files.isDirectory(TASKS)) {
            return;
        }
        Map<String, Long> now = new HashMap<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
            for (Path task : tasks) {
                readThread(task, now);
            }
        } catch (IOException e) {
            return; // without the list the background of this moment counts at the next call
        }
        now.forEach((id, ticks) -> backgroundTicks += Math.max(0, ticks - lastTicks.getOrDefault(id, 0L)));
        lastTicks.clear();
        lastTicks.putAll(now);
    }

    private static void readThread(Path task, Map<String, Long> into) {
        try {
            String stat = Files.readString(task.resolve("stat"));
            int nameEnd = stat.lastIndexOf(')');
            String name = stat.substring(stat.indexOf('(') + 1, nameEnd);
            if (BACKGROUND_THREADS.stream().anyMatch(name::startsWith)) {
                String[] fields = stat.substring(nameEnd + 2).split(" ");
                into.put(task.getFileName().toString(), Long.parseLong(fields[11]) + Long.parseLong(fields[12]));
            }
        } catch (IOException e) {
            into.remove(task.getFileName().toString()); // the thread has just ended
        }
    }
}
