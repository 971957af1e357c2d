package io.uniserve.server.read;

import io.uniserve.api.operator.Operator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measured time of operators that promise to be brief: a moving average of wall time per operator, over about the last
 * {@value #WINDOW} requests. Thread-safe.
 */
final class OperatorTimeEstimator {
    /** Longest expected time for a request to run on the transport's thread. */
    static final long REQUEST_NANOS_MAX = 300_000;
    /** Runs on workers before an operator's average is used. */
    static final int SAMPLES_MIN = 32;

    private static final int WINDOW = 16;
    /** Upper bound of a sample: enough to move the operator to workers, and forgotten after some dozens of quick runs. */
    private static final long SAMPLE_NANOS_MAX = 10_000_000;

    /** Bounded by the number of operators of the loaded ports. */
    private final Map<Operator<?, ?>, Average> averages = new ConcurrentHashMap<>();

    /** Records that the operator took this time on this number of actors. */
    void record(Operator<?, ?> operator, long nanos, int actors) {
        Average average = averages.get(operator);
        if (average == null) {
            average = averages.computeIfAbsent(operator, any -> new Average());
        }
        average.add(Math.min(SAMPLE_NANOS_MAX, nanos) / actors);
    }

    /** True if the operator is expected to be quick on this number of actors. */
    boolean isExpectedFast(Operator<?, ?> operator, int actors) {
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
