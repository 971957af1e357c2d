package io.uniserve.benchmark.servers;

import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Table and figures of {@code bench servers}. Immutable. */
final class GrowthReport {
    /** A figure per server may be this many times that of the smallest cluster with as many actors. */
    static final double FLAT = 1.25;

    private final List<GrowthResult> results;

    GrowthReport(List<GrowthResult> results) {
        this.results = List.copyOf(results);
    }

    /** Kind of figure. */
    private record Kind(String name, ToDoubleFunction<GrowthResult> value) {}

    private static final List<Kind> FLAT_KINDS = List.of(
            new Kind("CPU of a server per all-actor query, ms", GrowthResult::serverPerQuery),
            new Kind(
                    "CPU of all servers per one-actor query, ms",
                    result -> result.one().serversPerQuery()),
            new Kind("resident memory of a server, MB", GrowthResult::residentMb),
            new Kind("threads of a server", GrowthResult::threads),
            new Kind(
                    "CPU of an idle server, % of a core",
                    result -> result.idle().serverPercent()),
            new Kind("CPU of the idle coordinator per server, % of a core", GrowthResult::coordinatorPercentPerServer),
            new Kind("requests to ZooKeeper per server and second", GrowthResult::zooKeeperPerSecondPerServer));

    /** Returns the figures of each cluster but the smallest, against the smallest with as many actors. */
    List<BenchmarkMetric> figures() {
        List<BenchmarkMetric> figures = new ArrayList<>();
        for (GrowthResult result : results) {
            GrowthResult smallest = smallest(result.actors());
            if (smallest.servers() != result.servers()) {
                for (Kind kind : FLAT_KINDS) {
                    figures.add(BenchmarkMetric.lessIsBetter(
                            result.servers() + " servers, " + result.actors() + " actors, over " + smallest.servers()
                                    + " servers: " + kind.name(),
                            kind.value().applyAsDouble(result),
                            kind.value().applyAsDouble(smallest),
                            1 / FLAT));
                }
            }
        }
        return figures;
    }

    private GrowthResult smallest(int actors) {
        return results.stream()
                .filter(result -> result.actors() == actors)
                .min((a, b) -> Integer.compare(a.servers(), b.servers()))
                .orElseThrow();
    }

    /** Returns the table, a column per cluster. */
    List<String> rows() {
        List<String> rows = new ArrayList<>();
        rows.add(row("servers / actors", "%.0f", GrowthResult::servers, "/%d"));
        rows.add(row("start of all processes, s", "%.1f", GrowthResult::startSeconds, ""));
        rows.add(row("table placed, s", "%.2f", GrowthResult::placeSeconds, ""));
        rows.add(row("all-actor queries/s", "%.0f", result -> result.all().perSecond(), ""));
        rows.add(row("  p50, ms", "%.2f", result -> result.all().p50Millis(), ""));
        rows.add(row(
                "  CPU of all servers, ms/query", "%.3f", result -> result.all().serversPerQuery(), ""));
        rows.add(row("  CPU of a server, ms/query", "%.4f", GrowthResult::serverPerQuery, ""));
        rows.add(row(
                "  CPU of the client, ms/query", "%.3f", result -> result.all().clientPerQuery(), ""));
        rows.add(row("one-actor queries/s", "%.0f", result -> result.one().perSecond(), ""));
        rows.add(row("  p50, ms", "%.2f", result -> result.one().p50Millis(), ""));
        rows.add(row(
                "  CPU of all servers, ms/query", "%.4f", result -> result.one().serversPerQuery(), ""));
        rows.add(row("memory of a server, MB", "%.0f", GrowthResult::residentMb, ""));
        rows.add(row("threads of a server", "%.0f", GrowthResult::threads, ""));
        rows.add(row("idle server, % of a core", "%.2f", result -> result.idle().serverPercent(), ""));
        rows.add(row(
                "idle coordinator, % of a core", "%.2f", result -> result.idle().coordinatorPercent(), ""));
        rows.add(row(
                "idle ZooKeeper, % of a core", "%.2f", result -> result.idle().zooKeeperPercent(), ""));
        rows.add(row(
                "requests to ZooKeeper/s, idle", "%.1f", result -> result.idle().zooKeeperPerSecond(), ""));
        rows.add(row(
                "requests to ZooKeeper/s, queries",
                "%.1f",
                result -> result.all().zooKeeperPerSecond(),
                ""));
        rows.add(row(
                "kill -9: queries right again, s",
                "%.2f",
                result -> result.failover().rightAgainSeconds(),
                ""));
        rows.add(row("  failed queries", "%.0f", result -> result.failover().failed(), ""));
        rows.add(row(
                "  slow queries (above 1 s)",
                "%.0f",
                result -> result.failover().slow(),
                ""));
        rows.add(row(
                "  update of all actors, s", "%.2f", result -> result.failover().updateSeconds(), ""));
        rows.add(row(
                "  all replicas again, s", "%.1f", result -> result.failover().restoredSeconds(), ""));
        return rows;
    }

    private String row(String name, String format, ToDoubleFunction<GrowthResult> value, String actors) {
        StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-36s", name));
        for (GrowthResult result : results) {
            String cell = String.format(Locale.ROOT, format, value.applyAsDouble(result))
                    + (actors.isEmpty() ? "" : String.format(Locale.ROOT, actors, result.actors()));
            row.append(String.format(Locale.ROOT, " %10s", cell));
        }
        return row.toString();
    }
}
