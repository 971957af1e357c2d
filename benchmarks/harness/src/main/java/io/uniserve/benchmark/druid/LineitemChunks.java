package io.uniserve.benchmark.druid;

import io.trino.tpch.LineItem;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ProgressBar;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Lineitem of TPC-H in files, one per month of l_shipdate, by the generator of its definition: deterministic for a scale. A line is a row,
 * its values separated by bars, in the order of {@link #COLUMNS}. The comment is left out.
 */
final class LineitemChunks {
    static final List<String> COLUMNS = List.of(
            "l_orderkey",
            "l_partkey",
            "l_suppkey",
            "l_linenumber",
            "l_quantity",
            "l_extendedprice",
            "l_discount",
            "l_tax",
            "l_returnflag",
            "l_linestatus",
            "l_shipdate",
            "l_commitdate",
            "l_receiptdate",
            "l_shipinstruct",
            "l_shipmode");
    static final String TIME = "l_shipdate";
    /** Metrics by name, with the type of their sums in Druid. */
    static final Map<String, String> METRICS = new TreeMap<>(Map.of(
            "l_quantity", "longSum",
            "l_extendedprice", "doubleSum",
            "l_discount", "doubleSum",
            "l_tax", "doubleSum"));

    static final List<String> DIMENSIONS = COLUMNS.stream()
            .filter(column -> !column.equals(TIME) && !METRICS.containsKey(column))
            .toList();

    private static final long ROWS_AT_ONE = 6_000_000;
    private static final int PROGRESS_ROWS = 1_000;

    private final Map<YearMonth, Chunk> chunks = new TreeMap<>();

    /**
     * One month.
     *
     * @param number its place among all months, from 0
     * @param quantity sum of l_quantity, to check answers of either side
     */
    record Chunk(int number, YearMonth month, Path file, long rows, long quantity) {
        /** Returns the month as an interval of Druid. */
        String interval() {
            return month + "-01/" + month.plusMonths(1) + "-01";
        }

        /** Returns the month with its place in a table that does not have all months. */
        Chunk withNumber(int other) {
            return new Chunk(other, month, file, rows, quantity);
        }

        List<String> lines() {
            try {
                return Files.readAllLines(file);
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot read " + file, e);
            }
        }
    }

    /** Writes the files below the directory, with progress. */
    LineitemChunks(Path directory, double scale, Console console, LongSupplier nanos) {
        ProgressBar progress = new ProgressBar(
                console.err(), console.terminal(), nanos, "generate lineitem", (long) (ROWS_AT_ONE * scale));
        Map<YearMonth, Output> outputs = new TreeMap<>();
        long done = 0;
        try {
            Files.createDirectories(directory);
            for (TpchEntity row : TpchTable.getTable("lineitem").createGenerator(scale, 1, 1)) {
                LineItem item = (LineItem) row;
                YearMonth month = YearMonth.from(LocalDate.ofEpochDay(item.getShipDate()));
                Output output = outputs.get(month);
                if (output == null) {
                    output = new Output(directory.resolve(month + ".tbl"));
                    outputs.put(month, output);
                }
                output.add(item);
                done++;
                if (done % PROGRESS_ROWS == 0) {
                    progress.update(done, month.toString());
                }
            }
            for (Map.Entry<YearMonth, Output> entry : outputs.entrySet()) {
                Output output = entry.getValue();
                output.writer.close();
                chunks.put(
                        entry.getKey(),
                        new Chunk(chunks.size(), entry.getKey(), output.file, output.rows, output.quantity));
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot write below " + directory, e);
        }
        progress.finish();
    }

    private static final class Output {
        private final Path file;
        private final BufferedWriter writer;
        private long rows;
        private long quantity;

        private Output(Path file) throws IOException {
            this.file = file;
            this.writer = Files.newBufferedWriter(file);
        }

        private void add(LineItem item) throws IOException {
            // Two bars end the line: before the comment, and after it.
            String line = item.toLine();
            int comment = line.lastIndexOf('|', line.length() - 2);
            writer.write(line, 0, comment);
            writer.write('\n');
            rows++;
            quantity += item.getQuantity();
        }
    }

    /** Returns the months in order. */
    List<Chunk> chunks() {
        return new ArrayList<>(chunks.values());
    }

    long rows() {
        return chunks.values().stream().mapToLong(Chunk::rows).sum();
    }

    long quantity() {
        return chunks.values().stream().mapToLong(Chunk::quantity).sum();
    }

    /** Returns the month with the most rows. */
    Chunk largest() {
        return chunks.values().stream()
                .max((a, b) -> Long.compare(a.rows(), b.rows()))
                .orElseThrow();
    }
}
