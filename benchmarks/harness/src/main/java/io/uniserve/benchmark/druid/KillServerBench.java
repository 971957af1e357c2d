package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.chart.TimePlot;
import io.uniserve.benchmark.chart.TimeSeriesChart;
import io.uniserve.benchmark.demo.ConditionWaiter;
import io.uniserve.benchmark.demo.QuerySample;
import io.uniserve.benchmark.demo.QueryTimeSeries;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Scenario of the papers' failure figure: 500 queries per minute for each replication factor, at fixed times independent of earlier
 * answers. After three tenths of the time one server is killed for good. The sides run one after the other, and every answer is compared
 * with the one before the kill. Not thread-safe.
 */
final class KillServerBench {
    static final int QUERIES_PER_MINUTE = 500;
    private static final double KILL_AT = 0.3;
    private static final double NANOS = 1e9;
    private static final long END_TIMEOUT_MS = 120_000;
    private static final int PLOT_HEIGHT = 110;
    private static final int WARM_UP_ROUNDS = 2;

    private final Console console;
    private final LongSupplier nanos;
    private final RawResultWriter raw;
    private final List<Run> runs = new ArrayList<>();

    /**
     * Queries to one table.
     *
     * @param answer answers a native query, with a deadline
     */
    record Target(int rf, UnaryOperator<String> answer, List<DruidQuery> queries) {}

    /** Outcomes of one table. Times are relative to the first query. */
    record Run(String side, int rf, List<QuerySample> samples, double killSeconds) {
        int failed() {
            return (int) samples.stream().filter(QuerySample::failed).count();
        }

        int wrong() {
            return (int) samples.stream().filter(QuerySample::isWrong).count();
        }

        /** Returns the seconds from the kill to the end of the last query that failed or was wrong; 0 if none was. */
        double outageSeconds() {
            return samples.stream()
                    .filter(sample -> !sample.problem().isEmpty())
                    .mapToDouble(sample -> (sample.startNanos() + sample.latencyNanos()) / NANOS - killSeconds)
                    .max()
                    .orElse(0);
        }

        String firstProblem() {
            return samples.stream()
                    .map(QuerySample::problem)
                    .filter(problem -> !problem.isEmpty())
                    .findFirst()
                    .orElse("none");
        }
    }

    KillServerBench(Console console, LongSupplier nanos, RawResultWriter raw) {
        this.console = console;
        this.nanos = nanos;
        this.raw = raw;
    }

    /** Sends queries to all targets of one side for this many minutes, and kills a server of it. */
    void run(String side, List<Target> targets, double minutes, Runnable kill) {
        List<Asking> askings = targets.stream().map(this::prepare).toList();
        int total = (int) Math.max(10, Math.round(QUERIES_PER_MINUTE * minutes));
        long period = TimeUnit.MINUTES.toNanos(1) / QUERIES_PER_MINUTE;
        ProgressBar progress = new ProgressBar(
                console.err(), console.terminal(), nanos, side + ": queries for " + minutes + " minutes", total);
        ExecutorService pool = Executors.newCachedThreadPool();
        double killed = Double.NaN;
        try {
            long start = nanos.getAsLong();
            for (int i = 0; i < total; i++) {
                waitUntil(start + i * period);
                if (i == (int) (total * KILL_AT)) {
                    killed = (nanos.getAsLong() - start) / NANOS;
                    pool.execute(kill);
                }
                int number = i;
                askings.forEach(asking -> pool.execute(() -> asking.send(number, nanos, start)));
                progress.update(i + 1L, i < total * KILL_AT ? "" : "a server is dead");
            }
            progress.finish();
            boolean ended = ConditionWaiter.await(
                    nanos, END_TIMEOUT_MS, () -> askings.stream().allMatch(asking -> asking.samples.size() == total));
            if (!ended) {
                throw new UniserveException(ErrorCode.DEADLINE_EXCEEDED, side + ": queries have not ended");
            }
        } finally {
            pool.shutdownNow();
        }
        for (Asking asking : askings) {
            Run run = new Run(side, asking.target.rf(), List.copyOf(asking.samples), killed);
            runs.add(run);
            report(run);
        }
    }

    private Asking prepare(Target target) {
        List<String> expected = List.of();
        // Several times, so that connections exist and classes are compiled.
        for (int round = 0; round < WARM_UP_ROUNDS; round++) {
            expected = target.queries().stream()
                    .map(query -> target.answer().apply(query.json()))
                    .toList();
        }
        return new Asking(target, expected);
    }

    private static final class Asking {
        private final Target target;
        private final List<String> expected;
        private final Collection<QuerySample> samples = new ConcurrentLinkedQueue<>();

        private Asking(Target target, List<String> expected) {
            this.target = target;
            this.expected = expected;
        }

        private void send(int number, LongSupplier nanos, long origin) {
            int index = number % target.queries().size();
            DruidQuery query = target.queries().get(index);
            long start = nanos.getAsLong() - origin;
            String problem;
            boolean failed = false;
            try {
                Optional<String> difference =
                        DruidAnswerComparator.difference(target.answer().apply(query.json()), expected.get(index));
                problem = difference.map(text -> query.name() + ": " + text).orElse("");
            } catch (UniserveException e) {
                problem = query.name() + ": " + e.getMessage();
                failed = true;
            }
            samples.add(
                    new QuerySample(start, nanos.getAsLong() - origin - start, query.name(), problem, failed, 0, 0));
        }
    }

    private void waitUntil(long at) {
        for (long left = at - nanos.getAsLong(); left > 0; left = at - nanos.getAsLong()) {
            LockSupport.parkNanos(left);
        }
    }

    private void report(Run run) {
        for (QuerySample s : run.samples()) {
            String verdict = s.failed() ? "failed" : s.isWrong() ? "wrong" : "right";
            raw.line("query", run.side(), run.rf(), s.startNanos(), s.latencyNanos(), verdict, s.kind());
        }
        raw.line("kill", run.side(), run.rf(), Math.round(run.killSeconds() * NANOS));
        console.note(row(run));
    }

    /** Returns lines for people. */
    List<String> rows() {
        return runs.stream().map(KillServerBench::row).toList();
    }

    private static String row(Run run) {
        return String.format(
                Locale.ROOT,
                "%-9s rf %d: %d queries, %d failed, %d wrong, right again %.1f s after the kill; first problem: %s",
                run.side(),
                run.rf(),
                run.samples().size(),
                run.failed(),
                run.wrong(),
                run.outageSeconds(),
                shortened(run.firstProblem()));
    }

    private static String shortened(String text) {
        String line = text.replace('\n', ' ');
        return line.length() <= 160 ? line : line.substring(0, 160) + "...";
    }

    /** Returns Uniserve's figures: nothing wrong, nothing failed with several replicas. The peer's stand beside them. */
    List<BenchmarkMetric> figures() {
        List<BenchmarkMetric> figures = new ArrayList<>();
        for (Run run : runs) {
            if (!run.side().equals("uniserve")) {
                continue;
            }
            String name = "kill, rf " + run.rf() + ": ";
            Run peer = runs.stream()
                    .filter(other -> other.rf() == run.rf() && !other.side().equals(run.side()))
                    .findFirst()
                    .orElse(null);
            figures.add(beside(
                    BenchmarkMetric.atMost(name + "wrong", run.wrong(), 0), peer, peer == null ? 0 : peer.wrong()));
            double failedGoal = run.rf() == 1 ? peer == null ? run.failed() : peer.failed() + peer.wrong() : 0;
            figures.add(beside(
                    BenchmarkMetric.atMost(name + "failed", run.failed(), failedGoal),
                    peer,
                    peer == null ? 0 : peer.failed()));
            double outageGoal = peer == null ? run.outageSeconds() : peer.outageSeconds();
            figures.add(beside(
                    BenchmarkMetric.atMost(name + "seconds until right", run.outageSeconds(), outageGoal),
                    peer,
                    peer == null ? 0 : peer.outageSeconds()));
        }
        return figures;
    }

    private static BenchmarkMetric beside(
            BenchmarkMetric figure, @org.jspecify.annotations.Nullable Run peer, double value) {
        return peer == null
                ? figure
                : new BenchmarkMetric(figure.name(), figure.measured(), value, null, figure.goal(), figure.met());
    }

    /** Returns plots of right answers, and of failed and wrong ones, by second. */
    String svg() {
        TimeSeriesChart sheet = new TimeSeriesChart();
        for (Run run : runs) {
            QueryTimeSeries series = QueryTimeSeries.of(run.samples(), 1);
            int most = series.slices().stream()
                    .mapToInt(slice -> slice.answers() + slice.failed())
                    .max()
                    .orElse(0);
            TimePlot plot = TimePlot.linear(PLOT_HEIGHT, series.spanSeconds(), most)
                    .grid(value -> String.format(Locale.ROOT, "%.0f", value));
            for (int i = 0; i < series.slices().size(); i++) {
                int right = series.slices().get(i).answers()
                        - series.slices().get(i).wrong();
                plot.bar(i, 1, 0, right, "answers");
                plot.bar(
                        i,
                        1,
                        right,
                        series.slices().get(i).failed() + series.slices().get(i).wrong(),
                        "failed");
            }
            plot.event(run.killSeconds(), "SIGKILL of a server", true, "kill");
            sheet.plot(
                    run.side() + ", rf " + run.rf() + ": queries answered right (blue), failed or wrong (red) a second",
                    plot);
        }
        return sheet.svg();
    }
}
