package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Queries of both sides in alternating blocks, by several numbers of clients. Answers are compared first. Not thread-safe. */
final class DruidQueryBench {
    private static final int WARMUP_THREADS = 4;

    private final PairedBenchmark bench;
    private final Scale scale;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();
    private final List<String> approximations = new ArrayList<>();
    private int compared;

    /** Scale of a measurement, as in the command's options. */
    record Scale(List<Integer> clients, int warmup, int settle, int operations, double seconds, int rounds) {}

    DruidQueryBench(PairedBenchmark bench, Scale scale, Console console) {
        this.bench = bench;
        this.scale = scale;
        this.console = console;
    }

    List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    /** Returns lines for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    List<String> differences() {
        return List.copyOf(differences);
    }

    /** Returns lines about answers that may differ, because native Druid approximates them. */
    List<String> approximations() {
        return List.copyOf(approximations);
    }

    int compared() {
        return compared;
    }

    /** Sends every query to both sides once and compares the answers. */
    void compareAnswers(List<DruidQuery> queries, DruidSide ours, DruidSide peer) {
        console.note("comparing the answers of " + queries.size() + " queries");
        for (DruidQuery query : queries) {
            String mine = ours.answer(query.json());
            String theirs = peer.answer(query.json());
            compared++;
            if (query.exact()) {
                DruidAnswerComparator.difference(mine, theirs)
                        .ifPresent(difference -> differences.add(query.name() + ": " + difference));
            } else {
                approximations.add(String.format(
                        Locale.ROOT,
                        "%s: %.0f %% of native Druid's values are in Uniserve's answer",
                        query.name(),
                        100 * DruidAnswerComparator.commonShare(mine, theirs, "l_partkey")));
            }
        }
    }

    /** Measures every query for each number of clients. Each ratio has this goal. */
    void measure(List<DruidQuery> queries, DruidSide ours, DruidSide peer, double goal) {
        rows.add(String.format(
                Locale.ROOT,
                "%-44s %27s %24s %24s %22s",
                "  uniserve/" + peer.name(),
                "queries/s",
                "p50 ms",
                "p99 ms",
                "CPU ms a query"));
        for (DruidQuery query : queries) {
            console.note("warming up: " + scale.warmup() + " x " + query.name() + " on each side");
            List<PairedBenchmark.Side> sides = List.of(side(ours, query), side(peer, query));
            sides.forEach(side -> bench.warmUp(side, WARMUP_THREADS, scale.warmup() / WARMUP_THREADS));
            scale.clients().forEach(clients -> measure(query, clients, sides, goal));
        }
    }

    private void measure(DruidQuery query, int clients, List<PairedBenchmark.Side> sides, double goal) {
        int each = Math.max(1, scale.operations() / clients);
        int turns = bench.settle(
                new PairedBenchmark.Load(query.name(), clients, each, 1), scale.seconds(), scale.settle(), sides);
        console.note(query.name() + ", " + clients + " clients: steady after " + turns + " blocks of each side");
        PairedBenchmark.Load load = new PairedBenchmark.Load(query.name(), clients, each, scale.rounds());
        List<BenchmarkIteration> blocks = bench.compare(load, scale.seconds(), sides);
        BenchmarkIteration mine = blocks.get(0);
        BenchmarkIteration theirs = blocks.get(1);
        String name = query.name() + ", " + clients + " clients: ";
        figures.add(BenchmarkMetric.moreIsBetter(name + "queries/s", mine.perSecond(), theirs.perSecond(), goal));
        figures.add(BenchmarkMetric.lessIsBetter(
                name + "p50 us", mine.percentileMicros(0.5), theirs.percentileMicros(0.5), goal));
        figures.add(BenchmarkMetric.lessIsBetter(
                name + "CPU ms/query", mine.cpuMsPerOperation(), theirs.cpuMsPerOperation(), goal));
        rows.add(row(query.name() + ", " + clients, mine, theirs));
        console.note(rows.get(rows.size() - 1));
    }

    /** Checks that every answer is as long as the first one; both were compared before. */
    private static PairedBenchmark.Side side(DruidSide side, DruidQuery query) {
        int expected = side.answer(query.json()).length();
        return new PairedBenchmark.Side(
                side.name(),
                n -> {
                    int length = side.answer(query.json()).length();
                    // Sums of doubles depend on the order of segments: digits may differ.
                    if (Math.abs(length - expected) > expected / 10 + 100) {
                        throw new UniserveException(
                                ErrorCode.INTERNAL,
                                side.name() + " answered " + query.name() + " with " + length + " characters, before "
                                        + expected);
                    }
                },
                side.cpu());
    }

    /** Returns a line with the figures of both sides and their ratios, above 1 if the first is better. */
    static String row(String name, BenchmarkIteration mine, BenchmarkIteration theirs) {
        return String.format(
                Locale.ROOT,
                "%-44s %9.1f /%9.1f (%.2f) %7.2f /%7.2f (%.2f) %7.2f /%7.2f (%.2f) %6.2f /%6.2f (%.2f)",
                name,
                mine.perSecond(),
                theirs.perSecond(),
                mine.perSecond() / theirs.perSecond(),
                mine.percentileMicros(0.5) / 1e3,
                theirs.percentileMicros(0.5) / 1e3,
                theirs.percentileMicros(0.5) / mine.percentileMicros(0.5),
                mine.percentileMicros(0.99) / 1e3,
                theirs.percentileMicros(0.99) / 1e3,
                theirs.percentileMicros(0.99) / mine.percentileMicros(0.99),
                mine.cpuMsPerOperation(),
                theirs.cpuMsPerOperation(),
                theirs.cpuMsPerOperation() / mine.cpuMsPerOperation());
    }
}
