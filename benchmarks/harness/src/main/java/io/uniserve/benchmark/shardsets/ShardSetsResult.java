package io.uniserve.benchmark.shardsets;

import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Measurements of all workloads under all policies. Immutable. */
record ShardSetsResult(List<Row> rows, Map<String, String> skipped) {
    /** Name of the row without a policy. */
    static final String NONE = "none";

    /** Policy whose latency the figures compare. */
    static final String OURS = "parallelism";

    /** Policies that do not see shard sets. */
    static final List<String> PEERS = List.of("greedy", "estore", "getafix");

    /** P99 of the best peer over that of {@link #OURS}. */
    static final double GOAL = 1.0;

    ShardSetsResult {
        rows = List.copyOf(rows);
        skipped = Map.copyOf(skipped);
    }

    /**
     * One workload under one policy.
     *
     * @param rate target rate, queries per second
     * @param window the measurement
     * @param before window before the measurement, in which queries may fail too
     * @param lastChange seconds from the start of the load to the last change of the placement before the measurement; 0 for none
     */
    record Row(
            ShardSetKind workload,
            String policy,
            double rate,
            Window window,
            Window before,
            Changes changes,
            double lastChange,
            LivePlacement placement) {
        double p99() {
            return window.percentileMillis(0.99);
        }

        private String line() {
            return String.format(
                    Locale.ROOT,
                    "%-10s %-12s %9.1f %10.1f %8.1f %8.1f %8.1f %6d %6d %6d %7d %7.1f %11.2f %6.2f %6.2f",
                    workload.label(),
                    policy,
                    rate,
                    window.perSecond(),
                    window.percentileMillis(0.5),
                    window.percentileMillis(0.95),
                    p99(),
                    window.failed() + before.failed(),
                    window.wrong() + before.wrong(),
                    changes.moves(),
                    changes.copies(),
                    lastChange,
                    placement.contention(),
                    placement.most(),
                    placement.least());
        }

        private Map<String, Object> fields() {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("workload", workload.label());
            fields.put("policy", policy);
            put(fields, "rate", rate);
            put(fields, "queriesPerSecond", window.perSecond());
            put(fields, "p50", window.percentileMillis(0.5));
            put(fields, "p95", window.percentileMillis(0.95));
            put(fields, "p99", p99());
            fields.put("failed", window.failed() + before.failed());
            fields.put("wrong", window.wrong() + before.wrong());
            fields.put("moves", changes.moves());
            fields.put("copies", changes.copies());
            fields.put("drops", changes.drops());
            fields.put("shares", changes.shares());
            put(fields, "lastChange", lastChange);
            put(fields, "contention", placement.contention());
            put(fields, "contentionBound", placement.bound());
            put(fields, "mostLoad", placement.most());
            put(fields, "leastLoad", placement.least());
            return fields;
        }

        /** Adds a number; NaN and infinity have no JSON, so they are left out. */
        private static void put(Map<String, Object> fields, String name, double value) {
            if (Double.isFinite(value)) {
                fields.put(name, Math.round(value * 1e3) / 1e3);
            }
        }
    }

    /**
     * Changes of the placement from the start of the load to the end of the measurement.
     *
     * @param moves replicas that replaced another one
     * @param copies replicas that were added
     * @param drops replicas that were removed
     * @param shares changed shares of queries
     */
    record Changes(int moves, int copies, int drops, int shares) {
        static Changes of(PlacementChanges counted) {
            return new Changes(counted.moves(), counted.copies(), counted.drops(), counted.shares());
        }
    }

    private Stream<Window> windows() {
        return rows.stream().flatMap(row -> Stream.of(row.before(), row.window()));
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

    /** Returns the first failures of each row, with its workload and policy. */
    List<String> messages() {
        return rows.stream()
                .flatMap(row -> Stream.of(row.before(), row.window())
                        .flatMap(window -> window.messages().stream())
                        .map(message -> row.workload().label() + ", " + row.policy() + ": " + message))
                .toList();
    }

    private List<ShardSetKind> workloads() {
        return rows.stream().map(Row::workload).distinct().sorted().toList();
    }

    private Optional<Row> row(ShardSetKind workload, String policy) {
        return rows.stream()
                .filter(row -> row.workload() == workload && row.policy().equals(policy))
                .findFirst();
    }

    /** Returns the peer with the least p99 of a workload. */
    private Optional<Row> bestPeer(ShardSetKind workload) {
        return PEERS.stream()
                .flatMap(policy -> row(workload, policy).stream())
                .filter(row -> Double.isFinite(row.p99()))
                .min(Comparator.comparingDouble(Row::p99));
    }

    /** Returns the p99 of {@link #OURS} beside that of the best peer, per workload in which both were measured. */
    List<BenchmarkMetric> figures() {
        List<BenchmarkMetric> figures = new ArrayList<>();
        for (ShardSetKind workload : workloads()) {
            Optional<Row> ours = row(workload, OURS);
            Optional<Row> peer = bestPeer(workload);
            if (ours.isPresent() && peer.isPresent()) {
                figures.add(BenchmarkMetric.lessIsBetter(
                        "shardsets " + workload.label() + ": p99 ms of " + OURS + ", peer: the best of "
                                + String.join(", ", PEERS),
                        ours.get().p99(),
                        peer.get().p99(),
                        GOAL));
            }
        }
        return figures;
    }

    /** Returns the table with a line per workload and policy. */
    List<String> table() {
        List<String> lines = new ArrayList<>();
        lines.add(String.format(
                Locale.ROOT,
                "%-10s %-12s %9s %10s %8s %8s %8s %6s %6s %6s %7s %7s %11s %6s %6s",
                "workload",
                "policy",
                "target/s",
                "queries/s",
                "p50 ms",
                "p95 ms",
                "p99 ms",
                "failed",
                "wrong",
                "moves",
                "copies",
                "last s",
                "contention",
                "most",
                "least"));
        for (ShardSetKind workload : workloads()) {
            rows.stream().filter(row -> row.workload() == workload).forEach(row -> lines.add(row.line()));
        }
        skipped.forEach((policy, reason) -> lines.add("policy " + policy + " is skipped: " + reason));
        return lines;
    }

    /** Returns a sentence per workload. */
    List<String> summary() {
        List<String> lines = new ArrayList<>();
        for (ShardSetKind workload : workloads()) {
            Optional<Row> ours = row(workload, OURS);
            Optional<Row> peer = bestPeer(workload);
            if (ours.isPresent() && peer.isPresent()) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%s: p99 %.1f ms under %s, %.1f ms under %s: %.2f times as fast; contention %.2f and %.2f",
                        workload.label(),
                        ours.get().p99(),
                        OURS,
                        peer.get().p99(),
                        peer.get().policy(),
                        peer.get().p99() / ours.get().p99(),
                        ours.get().placement().contention(),
                        peer.get().placement().contention()));
            }
        }
        return lines;
    }

    /** Returns the rows for the line of JSON. */
    List<Map<String, Object>> fields() {
        return rows.stream().map(Row::fields).toList();
    }
}
