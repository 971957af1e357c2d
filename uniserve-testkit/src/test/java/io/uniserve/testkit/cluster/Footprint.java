package io.uniserve.testkit.cluster;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * What this JVM has open. Of use to tests that nothing runs beside.
 *
 * @param threads all of them but those that run tests, by their names without numbers: threads of one kind that go when they are
 *     idle must not make up for those of another kind that stay
 * @param files open ones, sockets too; 0 where the system does not tell
 */
record Footprint(Map<String, Long> threads, long files) {
    private static final int ROUNDS_MAX = 12;
    private static final Pattern OF_TESTS =
            Pattern.compile("(awaitility|junit|surefire).*|ForkJoinPool-[0-9]+-worker-[0-9]+");

    Footprint {
        threads = Collections.unmodifiableMap(new TreeMap<>(threads));
    }

    static Footprint now() {
        Map<String, Long> threads = new TreeMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!OF_TESTS.matcher(thread.getName()).matches()) {
                threads.merge(thread.getName().replaceAll("[0-9]+", "N"), 1L, Long::sum);
            }
        }
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : 0;
        return new Footprint(threads, files);
    }

    /** Threads that are more than before, by kind. */
    List<String> threadsAbove(Footprint before) {
        List<String> above = new ArrayList<>();
        threads.forEach((kind, count) -> {
            long allowed = before.threads.getOrDefault(kind, 0L);
            if (count > allowed) {
                above.add(kind + ": " + count + ", " + allowed + " before");
            }
        });
        return above;
    }

    /**
     * The same with the pools of these servers full that plans do not use: for logs of replicas and for durable storage. They fill when
     * those have work, and end their threads when they are idle.
     */
    Footprint withPools(int servers) {
        Map<String, Long> full = new TreeMap<>(threads);
        full.merge("uniserve-disk-N", 16L * servers, Math::max);
        full.merge("uniserve-store-N", 2L * servers, Math::max);
        return new Footprint(full, files);
    }

    /** The number of threads. */
    long threadCount() {
        return threads.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * What is open once pools are full and connections made: after the first round that opened nothing more.
     *
     * @param round does all kinds of work, and gives what is open after it
     */
    static Footprint settled(Supplier<Footprint> round) {
        Footprint before = round.get();
        for (int rounds = 1; rounds < ROUNDS_MAX; rounds++) {
            Footprint after = round.get();
            if (after.threadsAbove(before).isEmpty() && after.files <= before.files) {
                return after;
            }
            before = after;
        }
        throw new AssertionError("each of " + ROUNDS_MAX + " rounds opens more: " + before);
    }

    @Override
    public String toString() {
        return threadCount() + " threads " + threads + ", " + files + " files";
    }
}
