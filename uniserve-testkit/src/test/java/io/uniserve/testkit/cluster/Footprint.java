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
 * Open threads and files of this JVM, for tests that run alone.
 *
 * @param threads number of threads per name without digits, except threads that run tests. The kinds are separate, so that idle threads
 *     that end do not hide others that stay
 * @param files number of open files and sockets; 0 if the system does not report it
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

    /** Kinds of threads with more threads than before. */
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
     * The same with full pools of these servers for replicas' logs and for durable storage. Plans do not use these pools. They fill under
     * load, and end their threads when they are idle.
     */
    Footprint withPools(int servers) {
        Map<String, Long> full = new TreeMap<>(threads);
        full.merge("uniserve-disk-N", 16L * servers, Math::max);
        full.merge("uniserve-store-N", 2L * servers, Math::max);
        return new Footprint(full, files);
    }

    /** The same without one pool. */
    Footprint without(String pool) {
        Map<String, Long> others = new TreeMap<>(threads);
        others.remove(pool);
        return new Footprint(others, files);
    }

    /** The number of threads. */
    long threadCount() {
        return threads.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * The footprint once pools are full and connections are open: after the first round that opened nothing more.
     *
     * @param round does all kinds of work, and returns the footprint after it
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
