package io.uniserve.benchmark.hotspot;

import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.List;
import java.util.Locale;

/**
 * Measurements of one port on one cluster.
 *
 * @param off without balancing
 * @param balanced after the given number of periods of the balancer
 * @param settled after the wait for a replica on every server
 * @param replicas in-sync replicas of the hot actor at the beginning of each of the three measurements
 * @param waitedSeconds from the start of balancing to the last measurement
 * @param others windows that are not measured, in which queries may fail too
 */
record HotspotResult(
        String port,
        double quota,
        Window off,
        Window balanced,
        Window settled,
        List<Integer> replicas,
        int servers,
        int periods,
        double waitedSeconds,
        List<Window> others) {
    /** Throughput with balancing over without. */
    static final double GOAL = 2.0;

    HotspotResult {
        replicas = List.copyOf(replicas);
        others = List.copyOf(others);
    }

    private List<Window> measured() {
        return List.of(off, balanced, settled);
    }

    /** Returns the failed queries of all windows. */
    long failed() {
        return measured().stream().mapToLong(Window::failed).sum()
                + others.stream().mapToLong(Window::failed).sum();
    }

    /** Returns the wrong answers of all windows. */
    long wrong() {
        return measured().stream().mapToLong(Window::wrong).sum()
                + others.stream().mapToLong(Window::wrong).sum();
    }

    /** Returns the number of queries of all windows. */
    long queries() {
        return measured().stream().mapToLong(Window::queries).sum()
                + others.stream().mapToLong(Window::queries).sum();
    }

    /** Returns what failed, with the port's name. */
    List<String> messages() {
        return java.util.stream.Stream.concat(measured().stream(), others.stream())
                .flatMap(window -> window.messages().stream())
                .map(message -> port + ": " + message)
                .toList();
    }

    List<BenchmarkMetric> figures() {
        return List.of(
                BenchmarkMetric.moreIsBetter(
                        "hotspot " + port + ": queries/s after " + periods + " periods of balancing over without",
                        balanced.perSecond(),
                        off.perSecond(),
                        GOAL),
                BenchmarkMetric.moreIsBetter(
                        "hotspot " + port + ": queries/s after " + replicas.get(2) + " of " + servers
                                + " copies over without",
                        settled.perSecond(),
                        off.perSecond(),
                        GOAL));
    }

    /** Returns the header of {@link #row}. */
    static String header() {
        return String.format(
                Locale.ROOT,
                "%-8s %6s  %-12s %26s %26s %26s %9s %7s %6s",
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
        return List.of(
                row("off", off, replicas.get(0)),
                row(periods + " periods", balanced, replicas.get(1)),
                row(String.format(Locale.ROOT, "%.1f s", waitedSeconds), settled, replicas.get(2)));
    }

    private String row(String label, Window window, int copies) {
        return String.format(
                Locale.ROOT,
                "%-8s %6.2f  %-12s %18.1f (%5.2f) %26.2f %26.2f %9d %7d %6d",
                port,
                quota,
                label,
                window.perSecond(),
                window.perSecond() / off.perSecond(),
                window.percentileMillis(0.5),
                window.percentileMillis(0.99),
                copies,
                window.failed(),
                window.wrong());
    }
}
