package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.balance.ServerQuota;
import io.uniserve.benchmark.chart.LineChart;
import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** One run of {@code bench druid}: the processes of both sides, their data, and the parts that were asked for. Not thread-safe. */
final class DruidRun implements AutoCloseable {
    private static final String TABLE = "lineitem";
    private static final double HOT_GOAL = 3;
    private static final double HOT_SHARE = 7.0 / 8;
    private static final int THREADS = 2;
    private static final Duration LOAD_DEADLINE = Duration.ofMinutes(10);
    private static final double PERCENT = 100;
    /** Queries between two looks at the copies of the hot month. */
    private static final int COPIES_BLOCK = 40;
    /** Months of the tables of part kill. */
    private static final int KILL_CHUNKS = 24;
    /** Months that its queries ask, besides those of all months. */
    private static final int KILL_MONTHS = 12;

    private final Path directory;
    private final Settings settings;
    private final Console console;
    private final LongSupplier nanos;
    private final PairedBenchmark bench;
    private final RawResultWriter raw;
    private final LineitemChunks data;
    private final UniserveDruidCluster uniserve;
    private final @Nullable NativeDruid druid;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();
    private final Map<String, Object> fields = new TreeMap<>();
    private int compared;
    private boolean loaded;

    /** Options of the command. */
    record Settings(
            boolean peer,
            List<DruidCommand.Part> parts,
            double scale,
            int servers,
            String heap,
            double copiesWaitSeconds,
            List<String> queries,
            DruidQueryBench.Scale bench,
            double quota,
            List<Integer> shares,
            double minutes,
            List<Integer> rfs,
            List<Integer> bulk,
            @Nullable Path plots) {}

    /** Generates the rows and starts all processes. */
    DruidRun(Path directory, Settings settings, Console console, LongSupplier nanos, RawResultWriter raw) {
        this.directory = directory;
        this.settings = settings;
        this.console = console;
        this.nanos = nanos;
        this.raw = raw;
        this.bench = new PairedBenchmark(nanos, raw);
        this.data = new LineitemChunks(directory.resolve("rows"), settings.scale(), console, nanos);
        NativeDruid other = null;
        if (settings.peer()) {
            Path home = create(directory.resolve("native"));
            other = new NativeDruid(
                    home, new NativeDruid.Settings(settings.servers(), settings.heap(), THREADS), console, nanos);
        }
        this.druid = other;
        try {
            if (other != null) {
                other.start();
            }
            console.note("starting uniserve: ZooKeeper, coordinator, " + settings.servers() + " servers");
            ProcessClusterOptions options =
                    UniserveDruidCluster.options(directory.resolve("uniserve"), settings.servers(), settings.heap());
            boolean hot = settings.parts().contains(DruidCommand.Part.HOT)
                    || settings.parts().contains(DruidCommand.Part.SHARE);
            this.uniserve = new UniserveDruidCluster(
                    hot ? options.with(UniserveDruidCluster.automaticCopies(settings.servers())) : options,
                    LOAD_DEADLINE);
        } catch (UniserveException e) {
            if (other != null) {
                other.close();
            }
            throw e;
        }
    }

    private static Path create(Path folder) {
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot create " + folder, e);
        }
    }

    /** Runs the parts in the order of the option, but the one that kills a server last. */
    void run() {
        fields.put("rows", data.rows());
        fields.put("chunks", data.chunks().size());
        List<DruidCommand.Part> order = new ArrayList<>(settings.parts());
        order.sort(Comparator.comparing(part -> part == DruidCommand.Part.KILL));
        order.stream().distinct().forEach(this::run);
    }

    private void run(DruidCommand.Part part) {
        console.note("part " + part.name().toLowerCase(Locale.ROOT));
        boolean ofTable = part != DruidCommand.Part.APPEND && part != DruidCommand.Part.KILL;
        if (ofTable && !loaded) {
            load(TABLE, data.chunks(), 1);
            loaded = true;
        }
        NativeDruid other = druid;
        if (part == DruidCommand.Part.QUERIES) {
            queries();
        } else if (other == null) {
            throw UniserveException.invalid("--part " + part.name().toLowerCase(Locale.ROOT) + " needs --peer druid");
        } else if (part == DruidCommand.Part.HOT) {
            hotMonth(other, List.of(HOT_SHARE), HOT_GOAL);
        } else if (part == DruidCommand.Part.SHARE) {
            HotMonthBench bench = hotMonth(
                    other,
                    settings.shares().stream().map(share -> share / PERCENT).toList(),
                    1);
            LineChart chart = new LineChart(
                            "queries per second by share of the hot month", "% of queries", "queries/s", false, false)
                    .line("Uniserve", bench.ours())
                    .line("native Druid", bench.peers());
            plot("druid-share.svg", chart.svg());
        } else if (part == DruidCommand.Part.APPEND) {
            append(other);
        } else {
            kill(other);
        }
    }

    private void append(NativeDruid other) {
        BulkAppendBench append = new BulkAppendBench(bench, console, directory, uniserve, other, data.chunks());
        settings.bulk()
                .forEach(megabytes ->
                        append.run(megabytes, Math.max(1, settings.bench().rounds() / 2)));
        figures.addAll(append.figures());
        rows.addAll(append.rows());
    }

    /** Loads a table on both sides, and checks the count and a sum of each. */
    private void load(String table, List<LineitemChunks.Chunk> chunks, int replicas) {
        long total = chunks.stream().mapToLong(LineitemChunks.Chunk::rows).sum();
        uniserve.create(table, chunks, replicas);
        ProgressBar progress =
                new ProgressBar(console.err(), console.terminal(), nanos, "load uniserve " + table, total);
        long done = 0;
        for (LineitemChunks.Chunk chunk : chunks) {
            uniserve.appendSealed(table, chunk, chunk.number());
            done += chunk.rows();
            progress.update(done, chunk.month().toString());
        }
        progress.finish();
        long quantity =
                chunks.stream().mapToLong(LineitemChunks.Chunk::quantity).sum();
        String sums = DruidQueries.sumAll(table, DruidQueries.ALL_TIME).json();
        check("uniserve", uniserve.query(table, sums), quantity);
        console.note("replicas per server of uniserve: " + uniserve.actorsByServer(table));
        if (druid != null) {
            console.note("building and publishing " + chunks.size() + " segments of " + druid.name());
            druid.setReplicas(table, replicas);
            fields.put("segmentBytes", druid.publish(table, chunks, NativeDruid.FIRST_VERSION));
            druid.awaitLoaded(table, chunks.size(), replicas, total);
            check("native", druid.query(sums), quantity);
            console.note("segments per historical: " + druid.segmentsByServer(table));
        }
    }

    private void check(String side, String answer, long quantity) {
        long found = DruidQueries.quantityOf(answer);
        if (found != quantity) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, side + " sums l_quantity to " + found + ", the rows to " + quantity);
        }
        compared++;
    }

    private void queries() {
        DruidSide ours = DruidSide.uniserve(uniserve, TABLE);
        if (druid == null) {
            for (DruidQuery query : DruidQueries.all(TABLE)) {
                console.note(query.name() + ": " + ours.answer(query.json()).length() + " characters");
            }
            return;
        }
        DruidSide peer = DruidSide.nativeDruid(druid);
        DruidQueryBench part = new DruidQueryBench(bench, settings.bench(), console);
        part.compareAnswers(DruidQueries.all(TABLE), ours, peer);
        differences.addAll(part.differences());
        part.approximations().forEach(console::note);
        if (part.differences().isEmpty()) {
            part.measure(DruidQueries.named(TABLE, settings.queries()), ours, peer, 1);
        }
        compared += part.compared();
        figures.addAll(part.figures());
        rows.addAll(part.rows());
        rows.addAll(part.approximations());
    }

    private HotMonthBench hotMonth(NativeDruid other, List<Double> shares, double goal) {
        LineitemChunks.Chunk hot = data.largest();
        DruidSide ours = DruidSide.uniserve(uniserve, TABLE);
        DruidSide peer = DruidSide.nativeDruid(other);
        HotMonthBench part = new HotMonthBench(bench, settings.bench(), console, TABLE, data.chunks(), hot);
        differences.addAll(part.compareAnswers(ours, peer));
        compared += data.chunks().size();
        if (!differences.isEmpty()) {
            return part;
        }
        int clients = settings.bench().clients().stream()
                .mapToInt(Integer::intValue)
                .max()
                .orElse(1);
        awaitCopies(part, ours, hot, clients);
        part.warmUp(ours, HOT_SHARE, clients, settings.bench().warmup());
        part.warmUp(peer, HOT_SHARE, clients, settings.bench().warmup());
        ServerQuota quota = ServerQuota.of(settings.quota());
        fields.put("quota", quota.cores());
        String limits = quota.describe("server and historical", "servers and historicals");
        rows.add(limits);
        console.note(limits);
        List<Long> processes = new ArrayList<>(uniserve.serverPids());
        processes.addAll(other.historicalPids());
        try (CpuQuota limit = quota.limit(processes)) {
            shares.forEach(share -> part.measure(ours, peer, share, clients, goal));
        }
        figures.addAll(part.figures());
        rows.addAll(part.rows());
        return part;
    }

    /**
     * Sends the queries of the hot month to Uniserve, without a CPU limit, until the coordinator has made a copy of it on every server. After
     * the limit of time the rest is made as an operator would.
     */
    private void awaitCopies(HotMonthBench part, DruidSide ours, LineitemChunks.Chunk hot, int clients) {
        console.note("hot month: actor " + hot.number() + ", " + hot.month() + ": waiting for automatic copies");
        long start = nanos.getAsLong();
        double seconds = 0;
        while (uniserve.replicas(TABLE, hot.number()) < settings.servers() && seconds < settings.copiesWaitSeconds()) {
            part.warmUp(ours, HOT_SHARE, clients, COPIES_BLOCK);
            seconds = (nanos.getAsLong() - start) / 1e9;
        }
        int made = uniserve.replicas(TABLE, hot.number());
        String line = String.format(
                Locale.ROOT,
                "hot month: %d replicas on %d servers after %.1f s of queries; status: %s",
                made,
                settings.servers(),
                seconds,
                uniserve.copies(TABLE, hot.number()));
        rows.add(line);
        console.note(line);
        fields.put("automaticReplicas", made);
        if (made < settings.servers()) {
            rows.add("hot month: the rest of the replicas is made by replicate");
            uniserve.replicate(TABLE, hot.number(), settings.servers());
        }
    }

    private void kill(NativeDruid other) {
        List<LineitemChunks.Chunk> all = data.chunks();
        int first = Math.max(0, all.size() / 2 - KILL_CHUNKS / 2);
        List<LineitemChunks.Chunk> chunks = new ArrayList<>();
        for (LineitemChunks.Chunk chunk : all.subList(first, Math.min(all.size(), first + KILL_CHUNKS))) {
            chunks.add(chunk.withNumber(chunks.size()));
        }
        settings.rfs().forEach(rf -> load("copies" + rf, chunks, rf));
        KillServerBench part = new KillServerBench(console, nanos, raw);
        List<KillServerBench.Target> ours = new ArrayList<>();
        List<KillServerBench.Target> peers = new ArrayList<>();
        for (int rf : settings.rfs()) {
            String table = "copies" + rf;
            uniserve.awaitStored(table);
            List<DruidQuery> queries = killQueries(table, chunks);
            ours.add(new KillServerBench.Target(rf, json -> uniserve.queryShortly(table, json), queries));
            peers.add(new KillServerBench.Target(rf, other::queryShortly, queries));
        }
        part.run("uniserve", ours, settings.minutes(), () -> uniserve.kill("server-1"));
        part.run("native", peers, settings.minutes(), () -> other.kill("historical-1"));
        figures.addAll(part.figures());
        rows.addAll(part.rows());
        plot("druid-kill.svg", part.svg());
    }

    private List<DruidQuery> killQueries(String table, List<LineitemChunks.Chunk> chunks) {
        List<DruidQuery> queries = new ArrayList<>();
        for (int i = 0; i < KILL_MONTHS; i++) {
            LineitemChunks.Chunk chunk = chunks.get(i * chunks.size() / KILL_MONTHS);
            queries.add(DruidQueries.sumAll(table, chunk.interval()));
            queries.add(DruidQueries.sumAll(table, DruidQueries.ALL_TIME));
        }
        return queries;
    }

    private void plot(String name, String svg) {
        Path folder = settings.plots();
        if (folder != null) {
            try {
                Files.writeString(create(folder).resolve(name), svg);
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "--plots: cannot write " + folder.resolve(name), e);
            }
        }
    }

    /** Prints the rows and adds all figures to the result. */
    void report(ResultLine line) {
        rows.forEach(console::println);
        differences.forEach(difference -> console.println("DIFFERENT " + difference));
        figures.forEach(line::figure);
        fields.forEach(line::with);
        line.with("peer", druid == null ? "none" : druid.name())
                .with("compared", compared)
                .with("different", differences.size())
                .with(
                        "parts",
                        settings.parts().stream()
                                .map(part -> part.name().toLowerCase(Locale.ROOT))
                                .toList());
        line.require(differences.isEmpty());
    }

    @Override
    public void close() {
        uniserve.close();
        if (druid != null) {
            druid.close();
        }
    }
}
