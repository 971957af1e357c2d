package io.uniserve.benchmark.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Samples and events, in time from the start of the load. Thread-safe. */
public final class QueryTimeline {
    private final List<QuerySample> samples = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    /** Event to mark: a kill, a recovery. */
    public record Event(long atNanos, String what) {}

    /** Adds a query that has ended. */
    public synchronized void add(QuerySample sample) {
        samples.add(sample);
    }

    synchronized void mark(long atNanos, String what) {
        events.add(new Event(atNanos, what));
    }

    /** Returns the queries in the order in which they ended. */
    public synchronized List<QuerySample> samples() {
        return List.copyOf(samples);
    }

    synchronized List<Event> events() {
        return List.copyOf(events);
    }

    synchronized int size() {
        return samples.size();
    }

    /** Returns the percentile of the latency in milliseconds; NaN without queries. */
    public static double percentileMs(List<QuerySample> samples, double share) {
        long[] sorted =
                samples.stream().mapToLong(QuerySample::latencyNanos).sorted().toArray();
        return sorted.length == 0
                ? Double.NaN
                : sorted[Math.min(sorted.length - 1, (int) Math.ceil(share * sorted.length) - 1)] / 1e6;
    }

    /** Returns the longest time between two consecutive answers in milliseconds. */
    static double longestGapMs(List<QuerySample> samples) {
        long[] ends = samples.stream()
                .filter(sample -> !sample.failed())
                .mapToLong(sample -> sample.startNanos() + sample.latencyNanos())
                .sorted()
                .toArray();
        return Arrays.stream(java.util.stream.IntStream.range(1, ends.length)
                                .mapToLong(i -> ends[i] - ends[i - 1])
                                .toArray())
                        .max()
                        .orElse(0)
                / 1e6;
    }
}
