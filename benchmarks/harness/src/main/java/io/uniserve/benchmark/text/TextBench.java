package io.uniserve.benchmark.text;

import io.uniserve.api.Document;
import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.Function;

/** Measurements of {@code bench text}: the same documents in the same shards, the same queries, in alternating blocks. Not thread-safe. */
final class TextBench {
    private static final String TABLE = "text";
    private static final int WARMUP_THREADS = 4;

    private final PairedBenchmark bench;
    private final TextCorpus corpus;
    private final Scale scale;
    private final Console console;
    private final UniserveTextCluster uniserve;
    private final SearchPeer peer;
    private final CpuMeter ourCpu;
    private final CpuMeter peersCpu;
    private final Partitioner shards;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();
    private final List<String> differences = new ArrayList<>();
    private int compared;

    /** Scale of a run. */
    record Scale(
            int nodes,
            int shards,
            List<Integer> clients,
            int warmup,
            int settle,
            int operations,
            double seconds,
            int rounds,
            int generated,
            long seed,
            List<TextQuery> measured) {}

    TextBench(
            PairedBenchmark bench,
            TextCorpus corpus,
            Scale scale,
            Console console,
            UniserveTextCluster uniserve,
            SearchPeer peer,
            List<Long> peerPids) {
        this.bench = bench;
        this.corpus = corpus;
        this.scale = scale;
        this.console = console;
        this.uniserve = uniserve;
        this.peer = peer;
        this.ourCpu = new CpuMeter(uniserve.serverPids(), true);
        this.peersCpu = new CpuMeter(peerPids, true);
        this.shards = new Partitioner.Hash(scale.shards());
    }

    /** Returns lines for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    /** Returns the number of queries with compared answers. */
    int compared() {
        return compared;
    }

    List<String> differences() {
        return List.copyOf(differences);
    }

    /** Loads both sides, ours in one update and the peer's in batches, and merges every index to one segment. */
    void load() {
        List<TextDocument> documents = corpus.documents();
        console.note("loading " + documents.size() + " documents into uniserve");
        uniserve.create(TABLE, scale.shards(), 1);
        uniserve.add(TABLE, rows(documents));
        uniserve.optimize(TABLE);
        console.note("loading " + documents.size() + " documents into " + peer.name());
        peer.create(TABLE, scale.shards(), true);
        for (int shard = 0; shard < scale.shards(); shard++) {
            OptionalInt target = OptionalInt.of(shard);
            List<TextDocument> part = documentsOf(shard);
            ConcurrentBatchSender.send(
                    part.size(), i -> part.get(i).fields(part.get(i).id()), batch -> peer.add(TABLE, target, batch));
        }
        peer.commit(TABLE, true);
    }

    private static List<Document> rows(List<TextDocument> documents) {
        return documents.stream().map(TextDocument::row).toList();
    }

    private List<TextDocument> documentsOf(int shard) {
        return corpus.documents().stream()
                .filter(document -> shards.actorOf(PartitionKey.of(document.id())) == shard)
                .toList();
    }

    /** Sends every measured query and the generated ones once to both sides and compares the answers. */
    void compareAnswers() {
        List<TextQuery> queries = new ArrayList<>(TextQuery.MEASURED);
        queries.addAll(TextQuery.generated(corpus, scale.seed(), scale.generated()));
        console.note("comparing the answers of " + queries.size() + " queries");
        for (TextQuery query : queries) {
            compare(query, uniserve.query(TABLE, query.parameters()), peer.query(TABLE, query.parameters()));
        }
    }

    private void compare(TextQuery query, String ours, String peers) {
        compared++;
        SearchAnswerComparator.difference(ours, peers)
                .ifPresent(difference -> differences.add(query.name() + " " + query.parameters() + ": " + difference));
    }

    /** Measures all queries for each number of clients. */
    void measureQueries() {
        header("queries of all shards");
        Function<String, String> ours = parameters -> uniserve.query(TABLE, parameters);
        Function<String, String> peers = parameters -> peer.query(TABLE, parameters);
        warmUp(ours, 1, peers);
        for (TextQuery query : scale.measured()) {
            for (int clients : scale.clients()) {
                settle(query, clients, ours, peers);
                List<BenchmarkIteration> blocks = measure(query.name(), query, clients, ours, peers);
                String name = query.name() + ", " + clients + " clients: ";
                BenchmarkIteration mine = blocks.get(0);
                BenchmarkIteration theirs = blocks.get(1);
                figures.add(BenchmarkMetric.moreIsBetter(name + "queries/s", mine.perSecond(), theirs.perSecond(), 1));
                figures.add(BenchmarkMetric.lessIsBetter(
                        name + "p50 us", mine.percentileMicros(0.5), theirs.percentileMicros(0.5), 1));
                figures.add(BenchmarkMetric.lessIsBetter(
                        name + "p99 us", mine.percentileMicros(0.99), theirs.percentileMicros(0.99), 1));
                figures.add(BenchmarkMetric.lessIsBetter(
                        name + "CPU ms/query", mine.cpuMsPerOperation(), theirs.cpuMsPerOperation(), 1));
            }
        }
    }

    /** Gives the hot actor a replica on every server. It runs before quotas are set, because it is not measured. */
    void replicate() {
        console.note("hot range: actor 0 of table " + TABLE + " gets " + scale.nodes() + " copies");
        uniserve.replicate(TABLE, 0, scale.nodes());
    }

    /** Measures queries of one key range. Uniserve has replicas of it on every server, the peer on one node. */
    void measureHotActor(double goal) {
        List<TextDocument> range = documentsOf(0);
        String key = range.get(0).id();
        console.note("hot range: " + range.size() + " documents on " + scale.nodes() + " servers");
        header("queries of one range: uniserve has " + scale.nodes() + " replicas, the peer 1");
        Function<String, String> ours = parameters -> uniserve.query(TABLE, key, parameters);
        Function<String, String> peers = parameters -> peer.query(TABLE, 0, parameters);
        for (TextQuery query : scale.measured()) {
            compare(query, ours.apply(query.parameters()), peers.apply(query.parameters()));
        }
        warmUp(ours, scale.nodes(), peers); // per server, of which one answers a query, as many as for the peer's node
        int clients = scale.clients().stream().mapToInt(Integer::intValue).max().orElse(1);
        for (TextQuery query : scale.measured()) {
            settle(query, clients, ours, peers);
            List<BenchmarkIteration> blocks = measure("hot " + query.name(), query, clients, ours, peers);
            figures.add(BenchmarkMetric.moreIsBetter(
                    "hot " + query.name() + ", " + clients + " clients: queries/s",
                    blocks.get(0).perSecond(),
                    blocks.get(1).perSecond(),
                    goal));
        }
    }

    private void warmUp(Function<String, String> ours, int servers, Function<String, String> peers) {
        for (TextQuery query : scale.measured()) {
            console.note("warming up: " + scale.warmup() + " x " + query.name() + " on each side");
            bench.warmUp(
                    side("uniserve", ours, query, ourCpu), WARMUP_THREADS, servers * scale.warmup() / WARMUP_THREADS);
            bench.warmUp(side("peer", peers, query, peersCpu), WARMUP_THREADS, scale.warmup() / WARMUP_THREADS);
        }
    }

    private void settle(TextQuery query, int clients, Function<String, String> ours, Function<String, String> peers) {
        PairedBenchmark.Load load =
                new PairedBenchmark.Load(query.name(), clients, Math.max(1, scale.operations() / clients), 1);
        List<PairedBenchmark.Side> sides =
                List.of(side("uniserve", ours, query, ourCpu), side("peer", peers, query, peersCpu));
        console.note("steady after " + bench.settle(load, scale.seconds(), scale.settle(), sides)
                + " blocks of each side: " + query.name() + ", " + clients + " clients");
    }

    private List<BenchmarkIteration> measure(
            String scenario,
            TextQuery query,
            int clients,
            Function<String, String> ours,
            Function<String, String> peers) {
        console.note(scenario + ", " + clients + " clients");
        PairedBenchmark.Load load =
                new PairedBenchmark.Load(scenario, clients, Math.max(1, scale.operations() / clients), scale.rounds());
        List<BenchmarkIteration> blocks = bench.compare(
                load,
                scale.seconds(),
                List.of(side("uniserve", ours, query, ourCpu), side("peer", peers, query, peersCpu)));
        row(scenario + ", " + clients, blocks.get(0), blocks.get(1));
        return blocks;
    }

    private static PairedBenchmark.Side side(String name, Function<String, String> ask, TextQuery query, CpuMeter cpu) {
        int expected = ask.apply(query.parameters()).length();
        return new PairedBenchmark.Side(
                name,
                n -> {
                    int length = ask.apply(query.parameters()).length();
                    if (length != expected) {
                        throw new UniserveException(
                                ErrorCode.INTERNAL,
                                name + " answered " + query.name() + " with " + length + " characters, before "
                                        + expected);
                    }
                },
                cpu);
    }

    private void header(String title) {
        rows.add(title);
        rows.add(String.format(
                Locale.ROOT,
                "%-38s %27s %24s %24s %22s",
                "  uniserve/" + peer.name(),
                "queries/s",
                "p50 ms",
                "p99 ms",
                "CPU ms a query"));
    }

    private void row(String name, BenchmarkIteration mine, BenchmarkIteration theirs) {
        rows.add(String.format(
                Locale.ROOT,
                "%-38s %9.0f /%9.0f (%.2f) %7.2f /%7.2f (%.2f) %7.2f /%7.2f (%.2f) %6.2f /%6.2f (%.2f)",
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
                theirs.cpuMsPerOperation() / mine.cpuMsPerOperation()));
    }
}
