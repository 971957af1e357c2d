package io.uniserve.cli.demo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Everything that happened, in time from the start of the load. Safe for use by several threads. */
public final class Timeline {
    private final List<Sample> samples = new ArrayList<>();
    private final List<Event> events = new ArrayList<>();

    /** Something worth a mark: a kill, a recovery. */
    public record Event(long atNanos, String what) {}

    /** One more query has ended. */
    public synchronized void add(Sample sample) {
        samples.add(sample);
    }

    synchronized void mark(long atNanos, String what) {
        events.add(new Event(atNanos, what));
    }

    /** Queries in the order in which they ended. */
    public synchronized List<Sample> samples() {
        return List.copyOf(samples);
    }

    synchronized List<Event> events() {
        return List.copyOf(events);
    }

    synchronized int size() {
        return samples.size();
    }

    /** The latency that this share of the queries stayed below, milliseconds; NaN without queries. */
    public static double percentileMs(List<Sample> samples, double share) {
        long[] sorted =
                samples.stream().mapToLong(Sample::latencyNanos).sorted().toArray();
        return sorted.length == 0
                ? Double.NaN
                : sorted[Math.min(sorted.length - 1, (int) Math.ceil(share * sorted.length) - 1)] / 1e6;
    }

    /** Largest time between two answers that follow each other, milliseconds: how long the cluster was silent. */
    static double silenceMs(List<Sample> samples) {
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
