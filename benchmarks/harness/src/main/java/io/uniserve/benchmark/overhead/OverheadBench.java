package io.uniserve.benchmark.overhead;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.benchmark.floor.BareFanOut;
import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.ProcFsReader;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.client.ClientTable;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** Measurements of {@code bench overhead}. Not thread-safe. */
public final class OverheadBench {
    private static final int SERVERS = 4;
    private static final int WARMUP_THREADS = 4;
    /** Number of passes, which alternate between kinds of queries. Otherwise code is compiled for one kind, and again for the other one. */
    private static final int WARMUP_PASSES = 5;
    /** Time after which the cleanup of a dropped table and the compilers have finished. */
    private static final int SETTLE_SECONDS = 60;

    private static final int ACTORS_MANY = 256;
    static final int ROWS_PER_ACTOR = 100;
    private static final int REQUEST_BYTES = 160;
    private static final int REPLY_BYTES = 120;
    private static final long BARE_TIMEOUT_MS = 60_000;
    private static final RetrieveCall<String, List<Document>> GET =
            new RetrieveCall<>("kv.get@1", Codecs.STRING, Codecs.list(Document.CODEC));
    public static final RetrieveCall<String, Long> COUNT = new RetrieveCall<>("kv.count@1", Codecs.STRING, Codecs.LONG);

    private final PairedBenchmark bench;
    private final Scale scale;
    private final Path directory;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();

    /** Scale of a run. */
    record Scale(
            List<Integer> actors,
            List<Integer> threads,
            int warmup,
            int operations,
            int rounds,
            int updates,
            int idleSeconds) {}

    OverheadBench(PairedBenchmark bench, Scale scale, Path directory, Console console) {
        this.bench = bench;
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
                "%-34s %10s %10s %7s %12s %12s",
                "p50 (us) / CPU ms per operation",
                "uniserve",
                "bare gRPC",
                "ratio",
                "CPU uniserve",
                "CPU bare"));
        ProcessClusterOptions layout = ProcessClusterOptions.of(directory, SERVERS, "kv");
        List<DaemonProcess> bare = new ArrayList<>();
        try (ProcessCluster cluster = new ProcessCluster(layout)) {
            console.note("starting " + SERVERS + " servers and " + SERVERS + " bare gRPC servers");
            cluster.start();
            List<Address> addresses = startBare(bare);
            try (BareFanOut floor = new BareFanOut(addresses, REQUEST_BYTES, REPLY_BYTES);
                    UniserveClient client = UniserveClient.builder()
                            .bootstrap(cluster.bootstrap().toArray(new String[0]))
                            .build()) {
                List<Long> pids = serverPids(cluster);
                CpuMeter ours = new CpuMeter(pids, true);
                CpuMeter floorCpu =
                        new CpuMeter(bare.stream().map(DaemonProcess::pid).toList(), true);
                warmUp(client, floor);
                for (int actors : scale.actors()) {
                    measureQueries(client, floor, ours, floorCpu, actors);
                }
                measureUpdates(client, ours);
                checkThreadGrowth(client, pids);
            }
            measureIdle(cluster);
        } finally {
            bare.forEach(DaemonProcess::close);
        }
        return List.copyOf(figures);
    }

    private List<Address> startBare(List<DaemonProcess> bare) {
        for (int i = 1; i <= SERVERS; i++) {
            List<String> command = JavaLauncher.ofThisProcess()
                    .commandLine("-Xmx512m", List.of("bench", "bare-server", "--port", "0"));
            bare.add(DaemonProcess.start("bare-" + i, command, directory.resolve("bare-" + i + ".log")));
        }
        return bare.stream().map(server -> server.awaitReady(BARE_TIMEOUT_MS)).toList();
    }

    private static List<Long> serverPids(ProcessCluster cluster) {
        return cluster.daemons().values().stream()
                .filter(daemon -> daemon.name().startsWith("server-"))
                .map(DaemonProcess::pid)
                .toList();
    }

    /** Runs both sides until the JVMs have compiled the measured code. */
    private void warmUp(UniserveClient client, BareFanOut floor) {
        int actors = SERVERS * 4;
        long total = (long) actors * ROWS_PER_ACTOR;
        ClientTable table = table(client, "warm", actors);
        CpuMeter none = new CpuMeter(List.of(), false);
        List<PairedBenchmark.Side> sides = List.of(
                new PairedBenchmark.Side("uniserve single-actor", n -> getOne(table, n % total), none),
                new PairedBenchmark.Side("bare single", n -> floor.call((int) (n % SERVERS), 1), none),
                new PairedBenchmark.Side("uniserve all-actor", n -> countAll(table, total), none),
                new PairedBenchmark.Side("bare all", n -> floor.call(0, SERVERS), none));
        console.note("warming up: " + scale.warmup() + " operations of each of " + sides.size() + " kinds");
        for (int pass = 0; pass < WARMUP_PASSES; pass++) {
            for (PairedBenchmark.Side side : sides) {
                bench.warmUp(side, WARMUP_THREADS, scale.warmup() / WARMUP_THREADS / WARMUP_PASSES);
            }
        }
        client.admin().dropTable(table.name());
    }

    private void measureQueries(UniserveClient client, BareFanOut floor, CpuMeter ours, CpuMeter floorCpu, int actors) {
        String name = "bench" + actors;
        long total = (long) actors * ROWS_PER_ACTOR;
        ClientTable table = table(client, name, actors);
        for (int threads : scale.threads()) {
            PairedBenchmark.Load one = load("single-actor " + actors + " actors", threads);
            compare(
                    one,
                    new PairedBenchmark.Side("uniserve", n -> getOne(table, n % total), ours),
                    new PairedBenchmark.Side("bare", n -> floor.call((int) (n % SERVERS), 1), floorCpu),
                    1.3);
            PairedBenchmark.Load all = load("all-actor " + actors + " actors", threads);
            compare(
                    all,
                    new PairedBenchmark.Side("uniserve", n -> countAll(table, total), ours),
                    new PairedBenchmark.Side("bare", n -> floor.call(0, SERVERS), floorCpu),
                    actors <= 16 ? 1.5 : 2.0);
        }
    }

    /** Creates a table with the same number of rows per actor. */
    static ClientTable table(UniserveClient client, String name, int actors) {
        client.admin().createTable(TableSpec.named(name).port("kv").hash(actors).keyField("key"));
        ClientTable table = client.table(name);
        table.update("kv.put@1", Document.CODEC, documents(0, actors * ROWS_PER_ACTOR))
                .run()
                .orThrow();
        return table;
    }

    private PairedBenchmark.Load load(String scenario, int threads) {
        return new PairedBenchmark.Load(scenario, threads, Math.max(1, scale.operations() / threads), scale.rounds());
    }

    static void getOne(ClientTable table, long n) {
        String key = "key-" + n;
        int found = table.key(key)
                .retrieve(
                        GET, key, values -> values.stream().mapToInt(List::size).sum());
        check(found == 1, "get " + key + " found " + found);
    }

    static void countAll(ClientTable table, long total) {
        long count = table.all()
                .retrieve(
                        COUNT,
                        "",
                        values -> values.stream().mapToLong(Long::longValue).sum());
        check(count == total, "count is " + count + ", should be " + total);
    }

    private static void check(boolean right, String message) {
        if (!right) {
            throw new UniserveException(ErrorCode.INTERNAL, "wrong answer: " + message);
        }
    }

    private void compare(
            PairedBenchmark.Load load, PairedBenchmark.Side ours, PairedBenchmark.Side floor, double goal) {
        console.note(load.scenario() + ", " + load.threads() + " threads");
        List<BenchmarkIteration> blocks = bench.compare(load, List.of(ours, floor));
        double mine = blocks.get(0).percentileMicros(0.5);
        double theirs = blocks.get(1).percentileMicros(0.5);
        String name = load.scenario() + ", " + load.threads() + " threads";
        figures.add(BenchmarkMetric.lessIsBetter(name + ": p50 us", mine, theirs, 1 / goal));
        rows.add(String.format(
                Locale.ROOT,
                "%-34s %10.0f %10.0f %7.2f %12.3f %12.3f",
                name,
                mine,
                theirs,
                mine / theirs,
                blocks.get(0).cpuMsPerOperation(),
                blocks.get(1).cpuMsPerOperation()));
    }

    private void measureUpdates(UniserveClient client, CpuMeter cpu) {
        client.admin()
                .createTable(TableSpec.named("updates").port("kv").hash(16).keyField("key"));
        ClientTable table = client.table("updates");
        for (int size : new int[] {1, 1_000, 100_000}) {
            int count = size == 1
                    ? scale.updates()
                    : size == 1_000 ? Math.max(5, scale.updates() / 5) : Math.max(2, scale.updates() / 50);
            List<Document> batch = documents(0, size);
            PairedBenchmark.Load load = new PairedBenchmark.Load("update of " + size + " rows", 1, count, 2);
            console.note(load.scenario());
            PairedBenchmark.Side side = new PairedBenchmark.Side(
                    "uniserve",
                    n -> table.update("kv.put@1", Document.CODEC, batch).run().orThrow(),
                    cpu);
            BenchmarkIteration benchmarkIteration =
                    bench.compare(load, List.of(side)).get(0);
            rows.add(String.format(
                    Locale.ROOT,
                    "%-34s %10.0f %10s %7s %12.3f",
                    load.scenario(),
                    benchmarkIteration.percentileMicros(0.5),
                    "-",
                    "-",
                    benchmarkIteration.cpuMsPerOperation()));
        }
    }

    private static List<Document> documents(int from, int to) {
        return LongStream.range(from, to)
                .mapToObj(i -> new Document("key", Map.of("key", "key-" + i, "amount", i)))
                .toList();
    }

    /** Compares the servers' thread counts before and after a table that adds many actors per server. All pools are warm. */
    private void checkThreadGrowth(UniserveClient client, List<Long> pids) {
        int before = threads(pids);
        ClientTable table = table(client, "many", ACTORS_MANY);
        for (int i = 0; i < SERVERS * 8; i++) {
            countAll(table, (long) ACTORS_MANY * ROWS_PER_ACTOR);
        }
        int after = threads(pids);
        client.admin().dropTable(table.name());
        rows.add(String.format(
                Locale.ROOT, "threads of a server: %d, with %d more actors %d", before, ACTORS_MANY / SERVERS, after));
        figures.add(BenchmarkMetric.atMost(
                "threads of a server, " + ACTORS_MANY / SERVERS + " actors more", after - before, 4));
    }

    /** Returns the threads of the process with the most. */
    private static int threads(List<Long> pids) {
        return pids.stream().mapToInt(ProcFsReader::threads).max().orElse(0);
    }

    private void measureIdle(ProcessCluster cluster) {
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(SETTLE_SECONDS));
        console.note("watching the idle cluster for " + scale.idleSeconds() + " s");
        Map<String, Double> before = cpuByDaemon(cluster);
        LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(scale.idleSeconds()));
        cpuByDaemon(cluster).forEach((name, total) -> {
            double percent = (total - before.getOrDefault(name, 0.0)) / 10 / scale.idleSeconds();
            rows.add(String.format(Locale.ROOT, "idle %-29s %10.2f %% of a core", name, percent));
            figures.add(BenchmarkMetric.atMost("idle " + name + ": % of a core", percent, 2));
        });
    }

    private static Map<String, Double> cpuByDaemon(ProcessCluster cluster) {
        Map<String, Double> cpu = new TreeMap<>();
        cluster.daemons()
                .forEach((name, daemon) -> cpu.put(name, new CpuMeter(List.of(daemon.pid()), false).totalMs()));
        return cpu;
    }
}
