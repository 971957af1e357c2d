package io.uniserve.benchmark.tpch;

import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Measurements of {@code bench tpch}: one client, every query on all sides in alternating blocks. Not thread-safe. */
final class TpchBench {
    /** Goal relative to Spark's time, for each query. */
    private static final double SPARK_GOAL = 3;

    /** Goals relative to the bare engine's time: a query of one table, and a join. */
    private static final double SCAN_GOAL = 1.1;

    private static final double JOIN_GOAL = 2;
    /** Duration of a warm-up block; the variance of shorter blocks is larger than the cost of compilers. */
    private static final double SETTLE_SECONDS = 4;

    /** Errors that are reported without a measurement: wrong input, or unsupported queries. */
    private static final Set<ErrorCode> REFUSALS =
            Set.of(ErrorCode.UNSUPPORTED, ErrorCode.INVALID_ARGUMENT, ErrorCode.TOO_LARGE);

    private final PairedBenchmark bench;
    private final Console console;
    private final UniserveTpchCluster uniserve;
    private final CpuMeter ourCpu;
    private final List<BaselineSqlProcess> peers;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();
    private final Map<String, String> rejectedQueries = new LinkedHashMap<>();
    private final List<String> checkedLines = new ArrayList<>();
    private int compared;

    /** Numbers of runs. */
    record Scale(int warmup, int settle, int operations, int rounds) {}

    TpchBench(PairedBenchmark bench, Console console, UniserveTpchCluster uniserve, List<BaselineSqlProcess> peers) {
        this.bench = bench;
        this.console = console;
        this.uniserve = uniserve;
        this.peers = List.copyOf(peers);
        this.ourCpu = new CpuMeter(uniserve.serverPids(), true);
    }

    List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    /** Returns lines for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    /** Returns one line for people per compared or refused query. */
    List<String> checkedLines() {
        return List.copyOf(checkedLines);
    }

    /** Returns the number of answers that were compared with another engine's. */
    int compared() {
        return compared;
    }

    List<String> differences() {
        return List.copyOf(differences);
    }

    /** Returns the queries that Uniserve refuses, with the reason. */
    Map<String, String> rejectedQueries() {
        return new LinkedHashMap<>(rejectedQueries);
    }

    /** Sends every query once to all sides. Returns the queries that Uniserve answers. */
    List<TpchQuery> compareAnswers(List<TpchQuery> queries) {
        List<TpchQuery> answered = new ArrayList<>();
        for (TpchQuery query : queries) {
            console.note("comparing the answers of " + query.name());
            String answer;
            try {
                answer = uniserve.query(query);
            } catch (UniserveException e) {
                if (!REFUSALS.contains(e.code())) {
                    throw e;
                }
                rejectedQueries.put(query.name(), e.reason());
                checkedLines.add(
                        String.format(Locale.ROOT, "%-6s%8s%8s  refused: %s", query.name(), "", "", e.reason()));
                continue;
            }
            answered.add(query);
            compare(query, UniserveTpchCluster.rows(answer));
        }
        return answered;
    }

    private void compare(TpchQuery query, List<List<@Nullable String>> ours) {
        int before = differences.size();
        for (BaselineSqlProcess peer : peers) {
            compared++;
            SqlAnswerComparator.difference(ours, peer.query(query))
                    .ifPresent(difference -> differences.add(query.name() + ", " + peer.name() + ": " + difference));
        }
        String found = differences.size() == before
                ? "equal"
                : "DIFFERENT " + String.join("; ", differences.subList(before, differences.size()));
        int values = ours.stream().mapToInt(List::size).sum();
        checkedLines.add(String.format(Locale.ROOT, "%-6s%8d%8d  %s", query.name(), ours.size(), values, found));
    }

    /** Warms up all of these queries before it measures each, so that the first one is as warm as the last. */
    void measure(List<TpchQuery> queries, Scale scale) {
        rows.add(String.format(Locale.ROOT, "%-6s%-16s%10s%10s%12s", "", "", "p50 ms", "p90 ms", "CPU ms"));
        warmUpServing(queries, scale);
        queries.forEach(query -> warmUp(query, scale));
        for (TpchQuery query : queries) {
            console.note("measuring " + query.name());
            List<BenchmarkIteration> blocks = bench.compare(
                    new PairedBenchmark.Load(query.name(), 1, scale.operations(), scale.rounds()), sides(query));
            BenchmarkIteration ours = blocks.get(0);
            for (int i = 0; i < blocks.size(); i++) {
                row(i == 0 ? query.name() : "", blocks.get(i), ours);
                if (i > 0) {
                    figures.addAll(figures(query, ours, blocks.get(i)));
                }
            }
        }
    }

    private void warmUp(TpchQuery query, Scale scale) {
        List<PairedBenchmark.Side> sides = sides(query);
        sides.forEach(side -> bench.warmUp(side, 1, scale.warmup()));
        int turns =
                bench.settle(new PairedBenchmark.Load(query.name(), 1, 1, 1), SETTLE_SECONDS, scale.settle(), sides);
        console.note("steady after " + turns + " blocks of each side: " + query.name());
    }

    /**
     * Warms up the serving code of all sides with queries that find nothing. That code is compiled after thousands of queries, which would
     * take minutes with large queries.
     */
    private void warmUpServing(List<TpchQuery> queries, Scale scale) {
        for (TpchQuery query : scale.settle() == 0 ? List.<TpchQuery>of() : TpchQuery.ofNoRows(queries)) {
            int turns = bench.settle(
                    new PairedBenchmark.Load("no rows", 1, 1, 1), SETTLE_SECONDS, scale.settle(), sides(query));
            console.note("steady after " + turns + " blocks of each side: no rows of " + query.table());
        }
    }

    private List<PairedBenchmark.Side> sides(TpchQuery query) {
        List<PairedBenchmark.Side> sides = new ArrayList<>();
        sides.add(side("uniserve", () -> uniserve.query(query).length(), ourCpu));
        peers.forEach(peer ->
                sides.add(side(peer.side(), () -> peer.query(query).size(), new CpuMeter(List.of(peer.pid()), true))));
        return sides;
    }

    private static List<BenchmarkMetric> figures(TpchQuery query, BenchmarkIteration ours, BenchmarkIteration theirs) {
        boolean bare = theirs.side().equals("bare");
        double goal = bare ? 1 / (query.isJoin() ? JOIN_GOAL : SCAN_GOAL) : SPARK_GOAL;
        String name = query.name() + " vs " + theirs.side() + ": ";
        // CPU is shown next to the wall time and has no goal.
        return List.of(
                BenchmarkMetric.lessIsBetter(
                        name + "p50 ms", ours.percentileMicros(0.5) / 1e3, theirs.percentileMicros(0.5) / 1e3, goal),
                BenchmarkMetric.lessIsBetter(
                        name + "CPU ms/query", ours.cpuMsPerOperation(), theirs.cpuMsPerOperation(), 0));
    }

    /** Creates a side that checks that the size of the answer does not change. */
    private static PairedBenchmark.Side side(String name, java.util.function.IntSupplier ask, CpuMeter cpu) {
        int expected = ask.getAsInt();
        return new PairedBenchmark.Side(
                name,
                n -> {
                    int measured = ask.getAsInt();
                    if (measured != expected) {
                        throw new UniserveException(
                                ErrorCode.INTERNAL,
                                name + " answered with a size of " + measured + ", before " + expected);
                    }
                },
                cpu);
    }

    private void row(String query, BenchmarkIteration benchmarkIteration, BenchmarkIteration ours) {
        String ratio = benchmarkIteration.side().equals(ours.side())
                ? ""
                : String.format(
                        Locale.ROOT,
                        "  %5.2f x our p50, %5.2f x our CPU",
                        benchmarkIteration.percentileMicros(0.5) / ours.percentileMicros(0.5),
                        benchmarkIteration.cpuMsPerOperation() / ours.cpuMsPerOperation());
        rows.add(String.format(
                Locale.ROOT,
                "%-6s%-16s%10.1f%10.1f%12.1f%s",
                query,
                benchmarkIteration.side(),
                benchmarkIteration.percentileMicros(0.5) / 1e3,
                benchmarkIteration.percentileMicros(0.9) / 1e3,
                benchmarkIteration.cpuMsPerOperation(),
                ratio));
    }
}
