package io.uniserve.benchmark.hotspot;

import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Measurements of one port on one cluster.
 *
 * @param measurements without balancing, after the given number of periods of the balancer, and if asked for after a longer wait
 * @param others windows that are not measured, in which queries may fail too
 */
record HotspotResult(
        String port, double quota, int servers, int periods, List<Measurement> measurements, List<Window> others) {
    /** Throughput with balancing over without. */
    static final double GOAL = 2.0;

    HotspotResult {
        measurements = List.copyOf(measurements);
        others = List.copyOf(others);
        if (measurements.size() < 2) {
            throw new IllegalArgumentException(measurements.size() + " measurements");
        }
    }

    /**
     * Window of queries of the hot part.
     *
     * @param replicas in-sync replicas of the hot actor at its beginning
     */
    record Measurement(String label, int replicas, Window window) {}

    private Window off() {
        return measurements.get(0).window();
    }

    private Stream<Window> windows() {
        return Stream.concat(measurements.stream().map(Measurement::window), others.stream());
    }

    /** Returns the failed queries of all windows. */
    long failed() {
        return windows().mapToLong(Window::failed).sum();
    }

    /** Returns the wrong answers of all windows. */
    long wrong() {
        return windows().mapToLong(Window::wrong).sum();
    }

    /** Returns the number of queries of all windows. */
    long queries() {
        return windows().mapToLong(Window::queries).sum();
    }

    /** Returns what failed, with the port's name. */
    List<String> messages() {
        return windows()
                .flatMap(window -> window.messages().stream())
                .map(message -> port + ": " + message)
                .toList();
    }

    List<BenchmarkMetric> figures() {
        List<BenchmarkMetric> figures = new ArrayList<>();
        for (Measurement measurement : measurements.subList(1, measurements.size())) {
            figures.add(BenchmarkMetric.moreIsBetter(
                    "hotspot " + port + ": queries/s " + measurement.label() + " over balancing off",
                    measurement.window().perSecond(),
                    off().perSecond(),
                    GOAL));
        }
        return figures;
    }

    /** Returns the header of {@link #row}. */
    static String header() {
        return String.format(
                Locale.ROOT,
                "%-8s %6s  %-18s %20s %10s %10s %10s %7s %6s",
                "port",
                "quota",
                "measured",
                "queries/s (over off)",
                "p50 ms",
                "p99 ms",
                "replicas",
                "failed",
                "wrong");
    }

    /** Returns a line per measurement. */
    List<String> rows() {
        return measurements.stream().map(this::row).toList();
    }

    private String row(Measurement measurement) {
        Window window = measurement.window();
        return String.format(
                Locale.ROOT,
                "%-8s %6.2f  %-18s %12.1f (%5.2f) %10.2f %10.2f %5d of %-2d %7d %6d",
                port,
                quota,
                measurement.label(),
                window.perSecond(),
                window.perSecond() / off().perSecond(),
                window.percentileMillis(0.5),
                window.percentileMillis(0.99),
                measurement.replicas(),
                servers,
                window.failed(),
                window.wrong());
    }
}
