package io.uniserve.benchmark.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * Queries in slices of time, by the time at which they ended.
 *
 * @param seconds width of a slice
 */
public record QueryTimeSeries(double seconds, List<Bucket> slices) {
    private static final double[] WIDTHS = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600};
    private static final int SLICES_MAX = 100;
    private static final double NANOS = 1e9;

    public QueryTimeSeries {
        slices = List.copyOf(slices);
    }

    /** One slice; latencies are NaN if no query ended in it. */
    public record Bucket(int answers, int failed, int wrong, int retries, int hedges, double p50Ms, double p99Ms) {
        static Bucket of(List<QuerySample> samples) {
            int failed = (int) samples.stream().filter(QuerySample::failed).count();
            return new Bucket(
                    samples.size() - failed,
                    failed,
                    (int) samples.stream().filter(QuerySample::isWrong).count(),
                    samples.stream().mapToInt(QuerySample::retries).sum(),
                    samples.stream().mapToInt(QuerySample::hedges).sum(),
                    QueryTimeline.percentileMs(samples, 0.5),
                    QueryTimeline.percentileMs(samples, 0.99));
        }
    }

    /** Returns at most 100 slices of a round width. */
    static QueryTimeSeries of(List<QuerySample> samples) {
        double span = samples.stream().mapToLong(QueryTimeSeries::end).max().orElse(0) / NANOS;
        double width = DoubleStream.of(WIDTHS)
                .filter(w -> span / w <= SLICES_MAX)
                .findFirst()
                .orElse(span / SLICES_MAX);
        return of(samples, width);
    }

    /** Returns slices of this width in seconds. */
    public static QueryTimeSeries of(List<QuerySample> samples, double width) {
        double span = samples.stream().mapToLong(QueryTimeSeries::end).max().orElse(0) / NANOS;
        List<List<QuerySample>> parts = new ArrayList<>();
        for (int i = 0; i <= (int) (span / width); i++) {
            parts.add(new ArrayList<>());
        }
        samples.forEach(sample -> parts.get((int) (end(sample) / NANOS / width)).add(sample));
        return new QueryTimeSeries(width, parts.stream().map(Bucket::of).toList());
    }

    private static long end(QuerySample sample) {
        return sample.startNanos() + sample.latencyNanos();
    }

    /** Returns the duration of all slices together. */
    public double spanSeconds() {
        return seconds * slices.size();
    }
}
