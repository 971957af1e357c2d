package io.uniserve.benchmark.updates;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareFanOut;
import io.uniserve.benchmark.floor.BareZooKeeperWrite;
import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.ZooKeeperCallCounter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Measurements of {@code bench updates}. Not thread-safe. */
final class UpdatesBench {
    private static final int SERVERS = 2;
    /** Heap of a server: it has both kinds of tables, each with the largest update, and the requests in flight. */
    private static final String HEAP = "-Xmx3g";

    private static final long BARE_TIMEOUT_MS = 60_000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /**
     * Steps of one atomic update: two ZooKeeper writes (begin, commit), two fsyncs (PREPARE, DECIDE), three RPC rounds (client, PREPARE,
     * replication).
     */
    private static final int REGISTRY_WRITES = 2;

    private static final int FSYNC_ROUNDS = 2;
    private static final int RPC_ROUNDS = 3;
    /** Operations of one side per turn: updates of one row, single steps of the floor, or queries. */
    private static final int TURN_OPERATIONS = 10;

    private final PairedBenchmark bench;
    private final LongSupplier clock;
    private final UpdatesPort port;
    private final Scale scale;
    private final Path directory;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();

    /**
     * Scale of a run.
     *
     * @param largestMb the largest bulk update in megabytes
     * @param warmUp operations of each side before single rows, the pieces of their floor and queries are measured; fewer for larger
     *     updates. In new processes the compilers are busy, for longer on the side with more code
     * @param stream updates per second beside queries; 0 to measure only updates as fast as possible
     */
    record Scale(int actors, int updates, int queries, int rounds, int largestMb, int warmUp, int stream) {}

    /** Updates of this many rows beside queries; 0 per second for as fast as possible. */
    private record Stream(String name, int rows, int perSecond) {}

    /** Rows of an update, the number of updates per block and for warm-up, and whether its figure counts as bulk. */
    private record Size(String name, Supplier<List<Document>> rows, int count, int warmUp, boolean bulk) {}

    UpdatesBench(
            PairedBenchmark bench, LongSupplier clock, UpdatesPort port, Scale scale, Path directory, Console console) {
        this.bench = bench;
        this.clock = clock;
        this.port = port;
        this.scale = scale;
        this.directory = directory;
        this.console = console;
    }

    /** Returns one line per measurement, for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    List<BenchmarkMetric> run() {
        rows.add(String.format(
                Locale.ROOT,
                "%-28s %12s %12s %12s %7s %7s",
                "p50 (us)",
                "eventual",
                "serializable",
                "floor",
                "ratio",
                "goal"));
        ProcessClusterOptions options = ProcessClusterOptions.of(directory, SERVERS, port.port())
                .withHeap(HEAP)
                .with(ZooKeeperCallCounter.SETTINGS);
        try (ProcessCluster cluster = new ProcessCluster(options);
                BareEngineUpdate bare = new BareEngineUpdate(directory, port)) {
            console.note("starting " + SERVERS + " servers");
            cluster.start();
            ZooKeeperCallCounter calls = new ZooKeeperCallCounter(cluster.serverLogs());
            try (UniserveClient client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .build()) {
                for (int rf = 1; rf <= SERVERS; rf++) {
                    measureUpdates(cluster, client, bare, rf);
                }
                measureQueries(cluster, client, calls);
            }
        }
        return List.copyOf(figures);
    }

    private List<Size> sizes() {
        int some = scale.updates();
        int few = Math.max(2, scale.updates() / 8);
        int warm = scale.warmUp();
        List<Size> sizes = new ArrayList<>(List.of(
                new Size("1 row", () -> port.smallRows(1), scale.updates(), warm, false),
                new Size("1,000 rows", () -> port.smallRows(1_000), some, warm / 10, false),
                new Size("100,000 rows", () -> port.smallRows(100_000), few, warm / 200, true)));
        for (int megabytes = 1; megabytes <= scale.largestMb(); megabytes *= 10) {
            int mb = megabytes;
            sizes.add(new Size(mb + " MB", () -> port.bulkRows(mb), mb == 1 ? some : few, warm / (10 * mb), true));
        }
        return sizes;
    }

    private ClientTable table(UniserveClient client, String name, int rf, ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named(name)
                        .port(port.port())
                        .hash(scale.actors())
                        .replicas(rf)
                        .keyField(port.key())
                        .level(level));
        return client.table(name);
    }

    private void measureUpdates(ProcessCluster cluster, UniserveClient client, BareEngineUpdate bare, int rf) {
        CpuMeter none = new CpuMeter(List.of(), false);
        ClientTable eventual = table(client, "eventual" + rf, rf, ConsistencyLevel.EVENTUAL);
        ClientTable atomic = table(client, "atomic" + rf, rf, ConsistencyLevel.FULLY_SERIALIZABLE);
        for (Size size : sizes()) {
            String scenario = "rf " + rf + ", " + size.name();
            console.note(scenario);
            List<Document> given = size.rows().get();
            List<PairedBenchmark.Side> sides = List.of(
                    new PairedBenchmark.Side("eventual", n -> put(eventual, given), none),
                    new PairedBenchmark.Side("serializable", n -> put(atomic, given), none),
                    new PairedBenchmark.Side("bare", n -> bare.update(given), none));
            if (given.size() == 1) {
                measureSingleRow(cluster, bare, rf, size, sides);
                continue;
            }
            sides.forEach(side -> bench.warmUp(side, 1, size.warmUp()));
            List<BenchmarkIteration> blocks = bench.compare(
                    new PairedBenchmark.Load("update, " + scenario, 1, size.count(), scale.rounds()), sides);
            double ours = blocks.get(1).percentileMicros(0.5);
            double floor = blocks.get(2).percentileMicros(0.5) * rf;
            if (size.bulk()) {
                figures.add(
                        BenchmarkMetric.lessIsBetter("serializable, " + scenario + ": p50 us", ours, floor, 1 / 1.5));
            }
            row(scenario, blocks.get(0).percentileMicros(0.5), ours, floor, size.bulk() ? "1.5" : "-");
        }
        client.admin().dropTable(eventual.name());
        client.admin().dropTable(atomic.name());
    }

    private void put(ClientTable table, List<Document> rows) {
        table.update(port.function(), Document.CODEC, rows)
                .deadline(PATIENCE)
                .run()
                .orThrow();
    }

    private void row(String name, double eventual, double atomic, double floor, String goal) {
        rows.add(String.format(
                Locale.ROOT,
                "%-28s %12.0f %12.0f %12.0f %7.2f %7s",
                name,
                eventual,
                atomic,
                floor,
                atomic / floor,
                goal));
    }

    /**
     * Measures updates of one row, and separately the ZooKeeper writes, fsyncs and RPC rounds that one update needs. All are warm and
     * alternate in small turns, so that a change of the machine's speed affects all of them.
     */
    private void measureSingleRow(
            ProcessCluster cluster, BareEngineUpdate bare, int rf, Size size, List<PairedBenchmark.Side> updates) {
        CpuMeter none = new CpuMeter(List.of(), false);
        List<String> command =
                JavaLauncher.ofThisProcess().commandLine("-Xmx256m", List.of("bench", "bare-server", "--port", "0"));
        try (BareZooKeeperWrite registry =
                        new BareZooKeeperWrite(cluster.address("zookeeper").toString(), "rf-" + rf);
                DaemonProcess server =
                        DaemonProcess.start("bare-" + rf, command, directory.resolve("bare-" + rf + ".log"));
                BareFanOut rpc = new BareFanOut(List.of(server.awaitReady(BARE_TIMEOUT_MS)), 200, 100)) {
            List<PairedBenchmark.Side> sides = new ArrayList<>(updates);
            sides.add(new PairedBenchmark.Side("zookeeper", n -> registry.write(), none));
            sides.add(new PairedBenchmark.Side("fsync", n -> bare.sync(), none));
            sides.add(new PairedBenchmark.Side("rpc", n -> rpc.call(0, 1), none));
            sides.add(new PairedBenchmark.Side("chain", n -> writeAllPieces(registry, bare, rpc), none));
            sides.forEach(side -> bench.warmUp(side, 1, size.warmUp()));
            int turn = Math.min(size.count(), TURN_OPERATIONS);
            int turns = (size.count() + turn - 1) / turn * scale.rounds();
            String scenario = "rf " + rf + ", " + size.name();
            List<BenchmarkIteration> blocks =
                    bench.compare(new PairedBenchmark.Load("update, " + scenario, 1, turn, turns), sides);
            double ours = blocks.get(1).percentileMicros(0.5);
            row(
                    scenario,
                    blocks.get(0).percentileMicros(0.5),
                    ours,
                    blocks.get(2).percentileMicros(0.5) * rf,
                    "-");
            fixedCost(rf, ours, blocks.subList(updates.size(), blocks.size()));
        }
    }

    private void fixedCost(int rf, double ours, List<BenchmarkIteration> pieces) {
        double write = pieces.get(0).percentileMicros(0.5);
        double fsync = pieces.get(1).percentileMicros(0.5);
        double call = pieces.get(2).percentileMicros(0.5);
        double floor = REGISTRY_WRITES * write + FSYNC_ROUNDS * fsync + RPC_ROUNDS * call;
        figures.add(BenchmarkMetric.lessIsBetter(
                "fixed cost of a serializable update, rf " + rf + ": p50 us", ours, floor, 1 / 1.3));
        rows.add(String.format(
                Locale.ROOT,
                "  fixed cost: %.0f of %d x %.0f (ZooKeeper) + %d x %.0f (fsync) + %d x %.0f (RPC) = %.0f, ratio"
                        + " %.2f, goal 1.3",
                ours,
                REGISTRY_WRITES,
                write,
                FSYNC_ROUNDS,
                fsync,
                RPC_ROUNDS,
                call,
                floor,
                ours / floor));
        double chained = pieces.get(3).percentileMicros(0.5);
        rows.add(String.format(
                Locale.ROOT,
                "  the same pieces one after the other as one operation: %.0f, ratio %.2f (no goal)",
                chained,
                ours / chained));
    }

    /**
     * Runs the steps of the floor in the order of an update. In a loop of its own a step would find its thread awake and its data in the
     * cache. Here, as in an update, each step waits for another process.
     */
    private static void writeAllPieces(BareZooKeeperWrite registry, BareEngineUpdate bare, BareFanOut rpc) {
        rpc.call(0, 1);
        registry.write();
        rpc.call(0, 1);
        bare.sync();
        rpc.call(0, 1);
        bare.sync();
        registry.write();
    }

    /** Measures queries of all actors: first both kinds of tables without updates, alternating, then each under a stream of updates. */
    private void measureQueries(ProcessCluster cluster, UniserveClient client, ZooKeeperCallCounter calls) {
        CpuMeter none = new CpuMeter(List.of(), false);
        int count = scale.actors() * 100;
        ClientTable eventual = table(client, "eventual", SERVERS, ConsistencyLevel.EVENTUAL);
        ClientTable atomic = table(client, "atomic", SERVERS, ConsistencyLevel.FULLY_SERIALIZABLE);
        put(eventual, port.smallRows(count));
        put(atomic, port.smallRows(count));
        int turn = Math.min(scale.queries(), TURN_OPERATIONS);
        int turns = (scale.queries() + turn - 1) / turn * scale.rounds();
        PairedBenchmark.Load load = new PairedBenchmark.Load("all-actor query", 1, turn, turns);
        console.note(load.scenario());
        List<PairedBenchmark.Side> sides = List.of(
                new PairedBenchmark.Side("eventual", n -> port.count(client, eventual, count), none),
                new PairedBenchmark.Side("serializable", n -> port.count(client, atomic, count), none));
        sides.forEach(side -> bench.warmUp(side, 1, scale.warmUp()));
        List<BenchmarkIteration> quiet = bench.compare(load, sides);
        double ours = quiet.get(1).percentileMicros(0.5);
        double theirs = quiet.get(0).percentileMicros(0.5);
        figures.add(BenchmarkMetric.lessIsBetter(
                "all-actor query, serializable over eventual: p50 us", ours, theirs, 1 / 1.1));
        row("all-actor query", theirs, ours, theirs, "1.1");
        registryCalls(calls, () -> port.count(client, atomic, count));
        for (Stream stream : streams(count)) {
            double p99 = measureDuringUpdates(cluster, client, atomic, count, quiet.get(1), stream);
            double reference = measureDuringUpdates(cluster, client, eventual, count, quiet.get(0), stream);
            String name = "all-actor query among " + stream.name() + ": p99 us";
            figures.add(BenchmarkMetric.lessIsBetter(
                    name + " over quiet", p99, quiet.get(1).percentileMicros(0.99), 1 / 3.0));
            figures.add(BenchmarkMetric.lessIsBetter(name + " over eventual", p99, reference, 1 / 3.0));
            rows.add(String.format(
                    Locale.ROOT,
                    "  serializable over eventual, p99, each among updates of its own table: %.2f",
                    p99 / reference));
        }
    }

    /**
     * Counts ZooKeeper calls during queries, and during the same time without queries, because leases are renewed independently of queries.
     */
    private void registryCalls(ZooKeeperCallCounter calls, Runnable query) {
        int queries = scale.queries();
        long startNanos = clock.getAsLong();
        long before = calls.total();
        for (int i = 0; i < queries; i++) {
            query.run();
        }
        long among = calls.total() - before;
        long end = 2 * clock.getAsLong() - startNanos;
        before = calls.total();
        while (clock.getAsLong() < end) {
            LockSupport.parkNanos(end - clock.getAsLong());
        }
        long idle = calls.total() - before;
        rows.add(String.format(
                Locale.ROOT,
                "  ZooKeeper calls of all servers: %d during %d queries of the atomic table, %d in as long without any",
                among,
                queries,
                idle));
    }

    private List<Stream> streams(int rows) {
        List<Stream> streams = new ArrayList<>();
        if (scale.stream() > 0) {
            streams.add(new Stream(scale.stream() + " updates/s of 1 row", 1, scale.stream()));
            streams.add(new Stream(scale.stream() + " updates/s of all rows", rows, scale.stream()));
        }
        streams.add(new Stream("updates of all rows as fast as they go", rows, 0));
        return streams;
    }

    /** Measures queries of a table while one client repeatedly changes one of its rows, or all. Returns p99 in microseconds. */
    private double measureDuringUpdates(
            ProcessCluster cluster,
            UniserveClient client,
            ClientTable table,
            int count,
            BenchmarkIteration quiet,
            Stream stream) {
        PairedBenchmark.Load load = new PairedBenchmark.Load(
                "query among " + stream.name() + ", " + table.name(), 1, scale.queries(), scale.rounds());
        console.note(load.scenario());
        CpuMeter cpu = new CpuMeter(
                cluster.daemons().values().stream().map(DaemonProcess::pid).toList(), true);
        PairedBenchmark.Side side = new PairedBenchmark.Side(table.name(), n -> port.count(client, table, count), cpu);
        BenchmarkIteration busy;
        long updates;
        Runnable update = () -> put(table, port.smallRows(stream.rows()));
        try (UpdateLoadGenerator updating = new UpdateLoadGenerator(stream.perSecond(), clock, update)) {
            busy = bench.compare(load, List.of(side)).get(0);
            updates = updating.end();
        }
        double p99 = busy.percentileMicros(0.99);
        double quietP99 = quiet.percentileMicros(0.99);
        rows.add(String.format(
                Locale.ROOT,
                "all-actor query p99, %s: quiet %.0f, among %s (%d) %.0f, ratio %.2f; %.2f cores busy",
                table.name(),
                quietP99,
                stream.name(),
                updates,
                p99,
                p99 / quietP99,
                busy.cpuMs() / busy.wallMs()));
        return p99;
    }
}
