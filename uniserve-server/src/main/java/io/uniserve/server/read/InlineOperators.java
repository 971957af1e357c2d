package io.uniserve.server.read;

import io.uniserve.api.operator.Operator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whether operators that promise to be brief are, by what they took: a moving average of wall time for each, over the last
 * {@value #WINDOW} requests or so. Safe for use by several threads.
 */
final class InlineOperators {
    /** Longest a request may hold the transport's thread, as expected from those before. */
    static final long REQUEST_NANOS_MAX = 300_000;
    /** An operator must have run so often on workers before its time is believed. */
    static final int SAMPLES_MIN = 32;

    private static final int WINDOW = 16;
    /** What a longer run counts as: enough for the workers, and forgotten after some dozens of quick ones. */
    private static final long SAMPLE_NANOS_MAX = 10_000_000;

    /** The operators of loaded ports, so as many as these have. */
    private final Map<Operator<?, ?>, Average> averages = new ConcurrentHashMap<>();

    /** Notes that the operator took so long on so many actors. */
    void took(Operator<?, ?> operator, long nanos, int actors) {
        Average average = averages.get(operator);
        if (average == null) {
            average = averages.computeIfAbsent(operator, any -> new Average());
        }
        average.add(Math.min(SAMPLE_NANOS_MAX, nanos) / actors);
    }

    /** True where the operator may be expected to be quick on so many actors. */
    boolean quick(Operator<?, ?> operator, int actors) {
        Average average = averages.get(operator);
        return average != null && average.nanosPerActor() * actors <= REQUEST_NANOS_MAX;
    }

    private static final class Average {
        private int samples;
        private long nanos;

        synchronized void add(long sample) {
            nanos += (sample - nanos) / WINDOW;
            samples = Math.min(SAMPLES_MIN, samples + 1);
        }

        synchronized long nanosPerActor() {
            return samples < SAMPLES_MIN ? REQUEST_NANOS_MAX + 1 : nanos;
        }
    }
}
