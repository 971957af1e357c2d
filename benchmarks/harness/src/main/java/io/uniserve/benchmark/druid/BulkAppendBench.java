package io.uniserve.benchmark.druid;

import io.uniserve.benchmark.measure.BenchmarkIteration;
import io.uniserve.benchmark.measure.CpuMeter;
import io.uniserve.benchmark.measure.PairedBenchmark;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Bulk appends: megabytes of rows of one year into an empty table, until a query counts all. Uniserve appends them by one update. Native
 * Druid's side is what its indexing tasks do, without the start of their JVMs: a process builds one segment per month, publishes all, and
 * the coordinator assigns them to historicals. Not thread-safe.
 */
final class BulkAppendBench {
    private static final long MEGABYTE = 1_000_000;
    private static final int MONTHS = 12;

    private final PairedBenchmark bench;
    private final Console console;
    private final Path directory;
    private final UniserveDruidCluster uniserve;
    private final NativeDruid druid;
    private final List<LineitemChunks.Chunk> year;
    private final List<BenchmarkMetric> figures = new ArrayList<>();
    private final List<String> rows = new ArrayList<>();

    /** @param chunks all months; those of the middle are appended */
    BulkAppendBench(
            PairedBenchmark bench,
            Console console,
            Path directory,
            UniserveDruidCluster uniserve,
            NativeDruid druid,
            List<LineitemChunks.Chunk> chunks) {
        this.bench = bench;
        this.console = console;
        this.directory = directory;
        this.uniserve = uniserve;
        this.druid = druid;
        int first = Math.max(0, chunks.size() / 2 - MONTHS / 2);
        this.year = chunks.subList(first, Math.min(chunks.size(), first + MONTHS));
    }

    List<BenchmarkMetric> figures() {
        return List.copyOf(figures);
    }

    List<String> rows() {
        return List.copyOf(rows);
    }

    /** Measures appends of this size, to a new table each. */
    void run(int megabytes, int rounds) {
        String scenario = "bulk append of " + megabytes + " MB";
        List<LineitemChunks.Chunk> chunks = files(megabytes);
        long count = chunks.stream().mapToLong(LineitemChunks.Chunk::rows).sum();
        console.note(scenario + ", " + count + " rows");
        List<String> names = IntStream.rangeClosed(0, rounds)
                .mapToObj(i -> "append" + megabytes + "x" + i)
                .toList();
        names.forEach(name -> uniserve.create(name, chunks, 1));
        names.forEach(name -> druid.setReplicas(name, 1));
        List<io.uniserve.api.Document> documents = new ArrayList<>();
        chunks.forEach(chunk -> documents.addAll(UniserveDruidCluster.documents(chunk.lines(), chunk.number())));
        AtomicInteger ourNext = new AtomicInteger();
        AtomicInteger peersNext = new AtomicInteger();
        List<BenchmarkIteration> blocks = bench.compare(
                new PairedBenchmark.Load(scenario, 1, 1, rounds),
                List.of(
                        new PairedBenchmark.Side(
                                "uniserve",
                                n -> {
                                    String table = names.get(ourNext.getAndIncrement());
                                    uniserve.append(table, documents);
                                    check(uniserve.query(table, DruidQueries.count(table)), count);
                                },
                                new CpuMeter(uniserve.serverPids(), true)),
                        new PairedBenchmark.Side(
                                "native",
                                n -> {
                                    String table = names.get(peersNext.getAndIncrement());
                                    druid.publish(table, chunks, NativeDruid.FIRST_VERSION);
                                    druid.awaitRows(table, count);
                                },
                                new CpuMeter(druid.loadPids(), true))));
        names.forEach(uniserve::drop);
        BenchmarkIteration mine = blocks.get(0);
        BenchmarkIteration theirs = blocks.get(1);
        figures.add(BenchmarkMetric.moreIsBetter(
                scenario + ": MB/s", mine.perSecond() * megabytes, theirs.perSecond() * megabytes, 1));
        rows.add(String.format(
                Locale.ROOT,
                "%-44s %8.2f /%8.2f MB/s (%.2f)  CPU %8.0f /%8.0f ms (%.2f)",
                scenario,
                mine.perSecond() * megabytes,
                theirs.perSecond() * megabytes,
                mine.perSecond() / theirs.perSecond(),
                mine.cpuMsPerOperation(),
                theirs.cpuMsPerOperation(),
                theirs.cpuMsPerOperation() / mine.cpuMsPerOperation()));
        console.note(rows.get(rows.size() - 1));
    }

    private static void check(String answer, long count) {
        long found = DruidQueries.countOf(answer);
        if (found != count) {
            throw new UniserveException(
                    ErrorCode.INTERNAL, "uniserve counts " + found + " of " + count + " rows after a bulk append");
        }
    }

    /** Writes files with as many rows per month as make this size. The rows of a month are repeated if they do not suffice. */
    private List<LineitemChunks.Chunk> files(int megabytes) {
        long share = megabytes * MEGABYTE / year.size();
        List<LineitemChunks.Chunk> chunks = new ArrayList<>();
        for (LineitemChunks.Chunk chunk : year) {
            Path file = directory.resolve("append-" + megabytes + "-" + chunk.month() + ".tbl");
            List<String> lines = chunk.lines();
            long bytes = 0;
            int written = 0;
            try (BufferedWriter out = Files.newBufferedWriter(file)) {
                while (bytes < share) {
                    String line = lines.get(written % lines.size());
                    out.write(line);
                    out.write('\n');
                    bytes += line.length() + 1L;
                    written++;
                }
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot write " + file, e);
            }
            chunks.add(new LineitemChunks.Chunk(chunks.size(), chunk.month(), file, written, 0));
        }
        return chunks;
    }
}
