package io.uniserve.benchmark.moves;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareZooKeeperWrite;
import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.testkit.process.ProcessCluster;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Measurements of {@code bench moves}. Not thread-safe. */
final class MovesBench {
    private static final int SERVERS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int WRITES_PER_MOVE = 20;
    /** Maximum length of a pause, in addition to one write to ZooKeeper. */
    private static final double PAUSE_MICROS = 100_000;

    private static final double QUERIES_GOAL = 1 / 2.0;
    private static final double P99 = 0.99;

    private final LongSupplier nanos;
    private final RawResultWriter raw;
    private final Scale scale;
    private final Path directory;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();

    /** Scale of a run. */
    record Scale(int moves, int warmUp, int rows, int actors, int queries) {}

    MovesBench(LongSupplier nanos, RawResultWriter raw, Scale scale, Path directory, Console console) {
        this.nanos = nanos;
        this.raw = raw;
        this.scale = scale;
        this.directory = directory;
        this.console = console;
    }

    /** Returns one line per table, for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    List<BenchmarkMetric> run() {
        try (ProcessCluster cluster = new ProcessCluster(ProcessClusterOptions.of(directory, SERVERS, "kv"))) {
            console.note("starting " + SERVERS + " servers");
            cluster.start();
            try (UniserveClient client = UniserveClient.builder()
                    .bootstrap(cluster.bootstrap().toArray(new String[0]))
                    .build()) {
                for (int rf = 1; rf < SERVERS; rf++) {
                    measureTable(cluster, client, rf);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
        return List.copyOf(figures);
    }

    private void measureTable(ProcessCluster cluster, UniserveClient client, int rf) throws InterruptedException {
        String name = "moved" + rf;
        client.admin()
                .createTable(TableSpec.named(name)
                        .port("kv")
                        .hash(scale.actors())
                        .replicas(rf)
                        .keyField("key"));
        List<Document> all =
                LongStream.range(0, scale.rows()).mapToObj(MovesBench::row).toList();
        client.table(name)
                .update("kv.put@1", Document.CODEC, all)
                .deadline(PATIENCE)
                .run()
                .orThrow();
        try (MovesWorkload load = new MovesWorkload(nanos, client.table(name), scale.rows(), all.get(0));
                BareZooKeeperWrite registry =
                        new BareZooKeeperWrite(cluster.address("zookeeper").toString(), "rf-" + rf)) {
            console.note(name + ": before the moves");
            warmUp(load);
            for (int i = 0; i < scale.warmUp(); i++) {
                move(client, name, i % scale.actors());
            }
            load.takeUpdates();
            load.takeQueries();
            long until = load.queried() + scale.queries();
            await(() -> load.queried() >= until, load::lastProblem);
            BenchmarkIteration quietUpdates = block("update", rf, "quiet", load.takeUpdates());
            BenchmarkIteration quietQueries = block("all-actor query", rf, "quiet", load.takeQueries());
            measureMoves(client, name, rf, load, registry, quietUpdates, quietQueries);
        }
        client.admin().dropTable(name);
    }

    private void warmUp(MovesWorkload load) throws InterruptedException {
        await(() -> load.queried() >= scale.queries() / 2, load::lastProblem);
    }

    private void measureMoves(
            UniserveClient client,
            String name,
            int rf,
            MovesWorkload load,
            BareZooKeeperWrite registry,
            BenchmarkIteration quietUpdates,
            BenchmarkIteration quietQueries)
            throws InterruptedException {
        ProgressBar progress =
                new ProgressBar(console.err(), console.terminal(), nanos, "moving primaries of " + name, scale.moves());
        long[] pauses = new long[scale.moves()];
        long[] writes = new long[scale.moves() * WRITES_PER_MOVE];
        for (int move = 0; move < scale.moves(); move++) {
            int actor = move % scale.actors();
            load.update(rowOf(client, name, actor));
            await(load, 2);
            load.takeUpdates();
            move(client, name, actor);
            await(load, 2);
            pauses[move] = Arrays.stream(load.takeUpdates()).max().orElseThrow();
            for (int i = 0; i < WRITES_PER_MOVE; i++) {
                long start = nanos.getAsLong();
                registry.write();
                writes[move * WRITES_PER_MOVE + i] = nanos.getAsLong() - start;
            }
            progress.update(move + 1L, "");
        }
        progress.finish();
        BenchmarkIteration queries = block("all-actor query", rf, "moving", load.takeQueries());
        figures(rf, block("longest update of a move", rf, "moving", pauses), queries, quietQueries, writes);
        figures.add(BenchmarkMetric.atMost("rf " + rf + ": failed", load.failed(), 0));
        figures.add(BenchmarkMetric.atMost("rf " + rf + ": wrong", load.wrong(), 0));
        rows.add(String.format(
                Locale.ROOT,
                "  %d queries and %d updates, %d failed, %d wrong %s; an update, quiet: p50 %.0f, p99 %.0f",
                load.queried(),
                load.updated(),
                load.failed(),
                load.wrong(),
                load.lastProblem(),
                quietUpdates.percentileMicros(0.5),
                quietUpdates.percentileMicros(P99)));
    }

    private void figures(
            int rf, BenchmarkIteration pauses, BenchmarkIteration queries, BenchmarkIteration quiet, long[] writes) {
        BenchmarkIteration zooKeeper = block("write to ZooKeeper", rf, "moving", writes);
        double pause = pauses.percentileMicros(P99);
        double bound = PAUSE_MICROS + zooKeeper.percentileMicros(P99);
        figures.add(BenchmarkMetric.lessIsBetter("pause of updates by a move, rf " + rf + ": p99 us", pause, bound, 1));
        double p99 = queries.percentileMicros(P99);
        double before = quiet.percentileMicros(P99);
        figures.add(BenchmarkMetric.lessIsBetter(
                "all-actor query during moves, rf " + rf + ": p99 us", p99, before, QUERIES_GOAL));
        rows.add(String.format(
                Locale.ROOT,
                "rf %d, %d moves of a primary: longest update p50 %.0f us, p99 %.0f (goal %.0f: 100 ms and a write to"
                        + " ZooKeeper, p99 %.0f); all-actor query p99 %.0f, before %.0f, ratio %.2f (goal 2)",
                rf,
                scale.moves(),
                pauses.percentileMicros(0.5),
                pause,
                bound,
                bound - PAUSE_MICROS,
                p99,
                before,
                p99 / before));
    }

    private BenchmarkIteration block(String what, int rf, String side, long[] latencies) {
        long[] sorted = latencies.clone();
        Arrays.sort(sorted);
        BenchmarkIteration benchmarkIteration =
                new BenchmarkIteration(side, sorted, Arrays.stream(latencies).sum() / 1e6, 0);
        PairedBenchmark.Load load = new PairedBenchmark.Load(what + ", rf " + rf, 1, latencies.length, 1);
        raw.write(load, side, 0, List.of(latencies), benchmarkIteration);
        return benchmarkIteration;
    }

    private static Document row(long number) {
        return new Document("key", Map.of("key", "k" + number, "amount", number, "text", "x".repeat(1_000)));
    }

    private Document rowOf(UniserveClient client, String name, int actor) {
        TableRoute table = client.admin().describeTable(name);
        return LongStream.range(0, scale.rows())
                .filter(number -> table.meta().partitioner().actorOf(PartitionKey.of("k" + number)) == actor)
                .mapToObj(MovesBench::row)
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("--rows is " + scale.rows() + ": actor " + actor
                        + " has none of them, use more rows or fewer actors"));
    }

    /** Moves the primary to a server without a replica of the actor. */
    private static void move(UniserveClient client, String name, int actor) throws InterruptedException {
        ActorState before = client.admin().describeTable(name).map().actors().get(actor);
        ServerId to = client.routing().servers().stream()
                .map(server -> server.id())
                .filter(id -> !before.hasReplicaOn(id))
                .findFirst()
                .orElseThrow();
        client.admin().moveReplica(name, actor, before.primary().value(), to.value());
        await(
                () -> {
                    ActorState now =
                            client.admin().describeTable(name).map().actors().get(actor);
                    return now.isr().contains(to) && !now.hasReplicaOn(before.primary());
                },
                () -> "actor " + actor + " has not moved");
    }

    /** Waits until this many more updates have ended. */
    private static void await(MovesWorkload load, int more) throws InterruptedException {
        long until = load.updated() + more;
        await(() -> load.updated() >= until, load::lastProblem);
    }

    private static void await(BooleanSupplier over, Supplier<String> late) throws InterruptedException {
        ConditionPoller.await(PATIENCE, () -> over.getAsBoolean() ? Optional.of(true) : Optional.empty(), late);
    }
}
