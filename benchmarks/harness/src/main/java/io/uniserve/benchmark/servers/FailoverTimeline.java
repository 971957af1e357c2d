package io.uniserve.benchmark.servers;

import java.util.ArrayList;
import java.util.List;

/** Queries that were sent one after the other since a server was killed. Not thread-safe. */
final class FailoverTimeline {
    /** Number of right and quick queries in a row after which the cluster is calm again. */
    static final int CALM_QUERIES = 20;
    /** A longer query was affected by the failure. */
    private static final long SLOW_NANOS = 1_000_000_000;

    private final long killNanos;
    private final List<Sample> samples = new ArrayList<>();
    private int calm;

    private record Sample(long endNanos, Outcome outcome) {}

    /** Outcome of a query. */
    enum Outcome {
        RIGHT,
        WRONG,
        FAILED,
        SLOW
    }

    /** @param killNanos moment of the kill, by the clock of all other moments */
    FailoverTimeline(long killNanos) {
        this.killNanos = killNanos;
    }

    /** Adds a query. A right answer after more than a second counts as slow. */
    void add(long startNanos, long endNanos, Outcome outcome) {
        Outcome found = outcome == Outcome.RIGHT && endNanos - startNanos > SLOW_NANOS ? Outcome.SLOW : outcome;
        samples.add(new Sample(endNanos, found));
        calm = found == Outcome.RIGHT ? calm + 1 : 0;
    }

    /** True if the last queries were all right and quick. */
    boolean isCalm() {
        return calm >= CALM_QUERIES;
    }

    /** Returns the seconds from the kill to the end of the last query that was not right and quick; 0 if there was none. */
    double rightAgainSeconds() {
        return samples.stream()
                .filter(sample -> sample.outcome != Outcome.RIGHT)
                .mapToDouble(sample -> (sample.endNanos - killNanos) / 1e9)
                .max()
                .orElse(0);
    }

    /** Returns the number of queries with this outcome. */
    int count(Outcome outcome) {
        return (int)
                samples.stream().filter(sample -> sample.outcome == outcome).count();
    }

    int queries() {
        return samples.size();
    }
}
