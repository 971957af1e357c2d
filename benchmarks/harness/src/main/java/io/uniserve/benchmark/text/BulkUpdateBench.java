package io.uniserve.benchmark.text;

import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.peer.SearchPeer;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Bulk updates: megabytes of new documents into an empty table or collection, until a query finds all. Both sides partition documents by a
 * hash of their id and get the same batches. Not thread-safe.
 */
final class BulkUpdateBench {
    private static final String COUNT = "q=*:*&rows=0&omitHeader=true";

    private final PairedBenchmark bench;
    private final TextCorpus corpus;
    private final int shards;
    private final UniserveTextCluster uniserve;
    private final SearchPeer peer;
    private final CpuMeter ourCpu;
    private final CpuMeter peersCpu;
    private final Console console;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();

    BulkUpdateBench(
            PairedBenchmark bench,
            TextCorpus corpus,
            int shards,
            UniserveTextCluster uniserve,
            SearchPeer peer,
            List<Long> peerPids,
            Console console) {
        this.bench = bench;
        this.corpus = corpus;
        this.shards = shards;
        this.uniserve = uniserve;
        this.peer = peer;
        this.ourCpu = new CpuMeter(uniserve.serverPids(), true);
        this.peersCpu = new CpuMeter(peerPids, true);
        this.console = console;
    }

    List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    /** Returns lines for people. */
    List<String> rows() {
        return List.copyOf(rows);
    }

    void run(int megabytes, int rounds) {
        int documents = documents(megabytes);
        String scenario = "bulk update of " + megabytes + " MB";
        console.note(scenario + ", " + documents + " documents");
        List<String> names = IntStream.rangeClosed(0, rounds)
                .mapToObj(i -> "bulk-" + megabytes + "-" + i)
                .toList();
        names.forEach(name -> uniserve.create(name, shards, 1));
        names.forEach(name -> peer.create(name, shards, false));
        AtomicInteger ourNext = new AtomicInteger();
        AtomicInteger peersNext = new AtomicInteger();
        List<BenchmarkIteration> blocks = bench.compare(
                new PairedBenchmark.Load(scenario, 1, 1, rounds),
                List.of(
                        new PairedBenchmark.Side(
                                "uniserve", n -> loadUniserve(names.get(ourNext.getAndIncrement()), documents), ourCpu),
                        new PairedBenchmark.Side(
                                "peer", n -> loadPeer(names.get(peersNext.getAndIncrement()), documents), peersCpu)));
        names.forEach(uniserve::drop);
        names.forEach(peer::drop);
        double mine = blocks.get(0).perSecond() * megabytes;
        double theirs = blocks.get(1).perSecond() * megabytes;
        figures.add(BenchmarkMetric.moreIsBetter(scenario + ": MB/s", mine, theirs, 1));
        rows.add(String.format(
                Locale.ROOT,
                "%-38s %8.2f /%8.2f MB/s (%.2f)  CPU %8.0f /%8.0f ms (%.2f)",
                scenario,
                mine,
                theirs,
                mine / theirs,
                blocks.get(0).cpuMsPerOperation(),
                blocks.get(1).cpuMsPerOperation(),
                blocks.get(1).cpuMsPerOperation() / blocks.get(0).cpuMsPerOperation()));
    }

    private void loadUniserve(String table, int documents) {
        ConcurrentBatchSender.send(
                documents,
                i -> new TextDocument(
                                id(i), documentAt(i).topic(), documentAt(i).text())
                        .row(),
                batch -> uniserve.add(table, batch));
        check("uniserve", uniserve.query(table, COUNT), documents);
    }

    private void loadPeer(String collection, int documents) {
        ConcurrentBatchSender.send(
                documents, i -> documentAt(i).fields(id(i)), batch -> peer.add(collection, OptionalInt.empty(), batch));
        peer.commit(collection, false);
        check(peer.name(), peer.query(collection, COUNT), documents);
    }

    private static void check(String side, String answer, int documents) {
        if (SearchAnswerComparator.numFound(answer) != documents) {
            throw new UniserveException(
                    ErrorCode.INTERNAL,
                    side + " has " + SearchAnswerComparator.numFound(answer) + " of " + documents
                            + " documents after a bulk update");
        }
    }

    /** Repeats the corpus with new ids. */
    private TextDocument documentAt(int i) {
        return corpus.documents().get(i % corpus.documents().size());
    }

    private String id(int i) {
        return documentAt(i).id() + "-" + i / corpus.documents().size();
    }

    private int documents(int megabytes) {
        long bytes = 0;
        int documents = 0;
        while (bytes < megabytes * 1_000_000L) {
            bytes += documentAt(documents).size();
            documents++;
        }
        return documents;
    }
}
