package io.uniserve.benchmark.text;

import io.uniserve.benchmark.measure.CpuQuota;
import io.uniserve.benchmark.measure.LaunchAggregator;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.measure.RawResultWriter;
import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.result.ResultLine;
import io.uniserve.cli.command.CliCommand;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import io.uniserve.testkit.process.Workspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code uniserve bench text}. */
@Command(
        name = "text",
        description = {
            "The Solr port against SolrCloud: servers and nodes each in a JVM of its own, real Jetty nodes and a real"
                    + " ZooKeeper on the peer's side; the same documents in the same shards, one segment each, no caches,"
                    + " the same heap and JVM options. Answers are compared first. Then queries by several clients,"
                    + " queries of one hot range, bulk updates; the two sides alternate block by block."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  uniserve bench text --peer solrcloud --raw text.tsv",
            "  uniserve bench text --corpus europarl --documents 2000 --only queries --clients 1,4"
        })
public final class TextCommand extends CliCommand {
    private static final double HOT_GOAL = 1.5;

    /** Parts of the benchmark. */
    enum Part {
        QUERIES,
        HOT,
        BULK
    }

    /** Systems to compare with. */
    enum Peer {
        SOLRCLOUD
    }

    @Option(
            names = "--peer",
            paramLabel = "NAME",
            description = "System to compare with: ${COMPLETION-CANDIDATES} (default).")
    private Peer peer = Peer.SOLRCLOUD;

    @Option(
            names = "--corpus",
            paramLabel = "NAME",
            description =
                    "debian: English texts of the packages dict-gcide and wordnet-base and of apt's lists; europarl:"
                            + " the texts in the distribution (default: debian if the packages are installed).")
    private TextCorpus.@Nullable Choice choice;

    @Option(names = "--documents", paramLabel = "N", description = "Maximum number of documents (default: all).")
    private int documents = Integer.MAX_VALUE;

    @Option(names = "--nodes", paramLabel = "N", description = "Servers, and nodes of the peer (default: 4).")
    private int nodes = 4;

    @Option(names = "--shards", paramLabel = "N", description = "Actors, and shards of the peer (default: 4).")
    private int shards = 4;

    @Option(names = "--heap", paramLabel = "SIZE", description = "Heap of each, e.g. 512m (default).")
    private String heap = "512m";

    @Option(
            names = "--clients",
            split = ",",
            paramLabel = "N",
            description = "Concurrent clients, one or several numbers (default: 1,2,4,8).")
    private List<Integer> clients = List.of(1, 2, 4, 8);

    @Option(
            names = "--operations",
            paramLabel = "N",
            description = "Minimum queries per block, all clients (default: 200).")
    private int operations = 200;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "More queries, until the faster side takes this long; 0 for none (default: 1).")
    private double seconds = 1;

    @Option(names = "--rounds", paramLabel = "N", description = "Blocks per side, alternating (default: 10).")
    private int rounds = 10;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            description =
                    "Warm-up queries of each kind and side, for each server that answers alone" + " (default: 3000).")
    private int warmup = 3_000;

    @Option(
            names = "--settle",
            paramLabel = "N",
            description = "Maximum warm-up blocks per side before each kind and number of clients; they end"
                    + " when no side's CPU per query falls any more (default: 20).")
    private int settle = 20;

    @Option(
            names = "--bulk",
            split = ",",
            paramLabel = "MB",
            description = "Sizes of bulk updates (default: 1,10,100).")
    private List<Integer> bulk = List.of(1, 10, 100);

    @Option(names = "--bulk-rounds", paramLabel = "N", description = "Bulk updates of each size (default: 3).")
    private int bulkRounds = 3;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "PART",
            description = "Parts to run: ${COMPLETION-CANDIDATES} (default: all).")
    private List<Part> parts = List.of(Part.values());

    @Option(
            names = "--quota",
            paramLabel = "CORES",
            description = "CPU limit per server and node while one range is hot, as on machines of their own; needs"
                    + " root, 0 for no limit (default: 0.35).")
    private double quota = 0.35;

    @Option(
            names = "--generated",
            paramLabel = "N",
            description = "Generated queries whose answers are compared (default: 100).")
    private int generated = 100;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the generated queries (default: 1).")
    private long seed = 1;

    @Option(
            names = "--kinds",
            split = ",",
            paramLabel = "WORD",
            description = "Measure only these kinds of queries: phrase, sloppy, facet, sorted (default: all).")
    private List<String> kinds = List.of();

    @Option(names = "--raw", paramLabel = "FILE", description = "Write every operation's latency here.")
    private @Nullable Path raw;

    @Option(
            names = "--launches",
            paramLabel = "N",
            description = "Repetitions with new processes, which differ by the work of compilers; a figure is"
                    + " the geometric mean of all (default: 1).")
    private int launches = 1;

    /** Figures of the last launch. */
    private final Map<String, Object> resultFields = new TreeMap<>();

    private int compared;
    private int different;

    @Override
    public Integer call() throws IOException {
        check();
        TextCorpus corpus = corpus();
        console()
                .println(
                        "corpus: " + corpus.source() + "; " + corpus.documents().size() + " documents are used");
        Path jars = JavaLauncher.ofThisProcess()
                .home()
                .resolve("peers")
                .resolve(peer.name().toLowerCase(Locale.ROOT))
                .resolve("lib");
        ResultLine line = ResultLine.of("bench text", arguments());
        List<List<BenchmarkMetric>> figures;
        try (RawResultWriter log = new RawResultWriter(raw)) {
            figures = LaunchAggregator.run(launches, log, console(), () -> launch(corpus, jars, log));
        }
        if (launches > 1) {
            LaunchAggregator.gains(figures).forEach(row -> console().println(row));
        }
        LaunchAggregator.pool(figures).forEach(line::figure);
        return report(line, corpus);
    }

    private List<BenchmarkMetric> launch(TextCorpus corpus, Path jars, RawResultWriter log) throws IOException {
        try (Workspace workspace = Workspace.temporary("uniserve-bench");
                UniserveTextCluster uniserve =
                        new UniserveTextCluster(workspace.directory().resolve("uniserve"), nodes, "-Xmx" + heap);
                SolrCloud solrCloud = new SolrCloud(workspace.directory(), jars);
                SearchPeer other = solrCloud.start(nodes, "-Xmx" + heap)) {
            List<Long> pids = solrCloud.nodes().stream().map(DaemonProcess::pid).toList();
            PairedBenchmark bench = new PairedBenchmark(clock()::nanos, log);
            TextBench text = new TextBench(bench, corpus, scale(), console(), uniserve, other, pids);
            BulkUpdateBench updates = new BulkUpdateBench(bench, corpus, shards, uniserve, other, pids, console());
            if (parts.contains(Part.QUERIES) || parts.contains(Part.HOT)) {
                text.load();
                text.compareAnswers();
                segments(workspace.directory());
            }
            run(text, updates, uniserve.serverPids(), pids);
            text.rows().forEach(console()::println);
            updates.rows().forEach(console()::println);
            text.differences().forEach(difference -> console().println("DIFFERENT " + difference));
            compared += text.compared();
            different += text.differences().size();
            resultFields.put("peer", other.name());
            List<BenchmarkMetric> figures = new ArrayList<>(text.figures());
            figures.addAll(updates.figures());
            return figures;
        }
    }

    private TextBench.Scale scale() {
        return new TextBench.Scale(
                nodes,
                shards,
                clients,
                warmup,
                settle,
                operations,
                seconds,
                rounds,
                generated,
                seed,
                TextQuery.measured(kinds));
    }

    private void run(TextBench text, BulkUpdateBench updates, List<Long> ourPids, List<Long> peersPids) {
        if (parts.contains(Part.QUERIES)) {
            text.measureQueries();
        }
        if (parts.contains(Part.HOT)) {
            text.replicate();
            boolean limited = quota > 0 && CpuQuota.isPossible();
            resultFields.put("quota", limited ? quota : 0.0);
            try (CpuQuota limit = new CpuQuota()) {
                if (limited) {
                    limit.limit(ourPids, quota);
                    limit.limit(peersPids, quota);
                }
                text.measureHotActor(HOT_GOAL);
            }
        }
        if (parts.contains(Part.BULK)) {
            bulk.forEach(megabytes -> updates.run(megabytes, bulkRounds));
        }
    }

    private void segments(Path directory) throws IOException {
        int all = SegmentCounter.countBelow(directory);
        int ours = SegmentCounter.countBelow(directory.resolve("uniserve"));
        console()
                .println("segments: " + ours + " of uniserve, " + (all - ours) + " of the peer, " + shards + " shards");
        resultFields.put("segments", ours);
        resultFields.put("peerSegments", all - ours);
    }

    private int report(ResultLine line, TextCorpus corpus) {
        resultFields.forEach(line::with);
        line.with("corpus", corpus.source())
                .with("documents", corpus.documents().size())
                .with("launches", launches)
                .with("nodes", nodes)
                .with("shards", shards)
                .with("heap", heap)
                .with("jvmFlags", JavaLauncher.ofThisProcess().flags())
                .with("seed", seed)
                .with("compared", compared)
                .with("different", different)
                .with("cores", Runtime.getRuntime().availableProcessors())
                .with("java", System.getProperty("java.version"));
        line.require(different == 0);
        return line.print(console());
    }

    private TextCorpus corpus() {
        TextCorpus.Choice choice = this.choice;
        if (choice == null) {
            choice = DebianCorpus.isInstalled() ? TextCorpus.Choice.DEBIAN : TextCorpus.Choice.EUROPARL;
            if (choice == TextCorpus.Choice.EUROPARL) {
                console().note("for English texts: apt-get install dict-gcide wordnet-base");
            }
        }
        return TextCorpus.read(choice, JavaLauncher.ofThisProcess().home(), documents);
    }

    private void check() {
        checkRange("--documents", documents, 1, Integer.MAX_VALUE);
        checkRange("--nodes", nodes, 1, 32);
        checkRange("--shards", shards, 1, 256);
        checkRange("--operations", operations, 1, 10_000_000);
        checkRange("--rounds", rounds, 1, 1_000);
        checkRange("--launches", launches, 1, 100);
        if (!(seconds >= 0 && seconds <= 3600)) {
            throw usageError("--seconds is " + seconds + ": use 0 to 3600");
        }
        checkRange("--warmup", warmup, 0, 10_000_000);
        checkRange("--settle", settle, 0, 1_000);
        checkRange("--bulk-rounds", bulkRounds, 1, 100);
        checkRange("--generated", generated, 0, 100_000);
        clients.forEach(n -> checkRange("--clients", n, 1, 64));
        bulk.forEach(n -> checkRange("--bulk", n, 1, 10_000));
        if (TextQuery.measured(kinds).isEmpty()) {
            throw usageError("--kinds names no kind of measured query: use phrase, sloppy, facet or sorted");
        }
        if (!(quota >= 0 && quota <= 64)) {
            throw usageError("--quota is " + quota + ": use 0 to 64");
        }
        if (!heap.matches("\\d{1,6}[mg]")) {
            throw usageError("--heap is \"" + heap + "\": use a number and m or g, e.g. 512m");
        }
    }
}
