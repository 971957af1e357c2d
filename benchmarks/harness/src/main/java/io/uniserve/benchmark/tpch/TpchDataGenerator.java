package io.uniserve.benchmark.tpch;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** TPC-H's tables as files, by the generator of its definition: deterministic for a scale. */
public final class TpchDataGenerator {
    /** All tables. The first primary column of a table is its partition key. */
    public static final List<Table> TABLES = List.of(
            new Table(
                    "lineitem",
                    "l_orderkey, l_linenumber",
                    "l_orderkey bigint, l_partkey bigint, l_suppkey bigint, l_linenumber integer,"
                            + " l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2),"
                            + " l_tax decimal(15,2), l_returnflag varchar, l_linestatus varchar, l_shipdate date,"
                            + " l_commitdate date, l_receiptdate date, l_shipinstruct varchar, l_shipmode varchar,"
                            + " l_comment varchar",
                    6_000_000),
            new Table(
                    "orders",
                    "o_orderkey",
                    "o_orderkey bigint, o_custkey bigint, o_orderstatus varchar, o_totalprice decimal(15,2),"
                            + " o_orderdate date, o_orderpriority varchar, o_clerk varchar, o_shippriority integer,"
                            + " o_comment varchar",
                    1_500_000),
            new Table(
                    "customer",
                    "c_custkey",
                    "c_custkey bigint, c_name varchar, c_address varchar, c_nationkey bigint, c_phone varchar,"
                            + " c_acctbal decimal(15,2), c_mktsegment varchar, c_comment varchar",
                    150_000),
            new Table(
                    "part",
                    "p_partkey",
                    "p_partkey bigint, p_name varchar, p_mfgr varchar, p_brand varchar, p_type varchar, p_size integer,"
                            + " p_container varchar, p_retailprice decimal(15,2), p_comment varchar",
                    200_000),
            new Table(
                    "partsupp",
                    "ps_partkey, ps_suppkey",
                    "ps_partkey bigint, ps_suppkey bigint, ps_availqty integer, ps_supplycost decimal(15,2),"
                            + " ps_comment varchar",
                    800_000),
            new Table(
                    "supplier",
                    "s_suppkey",
                    "s_suppkey bigint, s_name varchar, s_address varchar, s_nationkey bigint, s_phone varchar,"
                            + " s_acctbal decimal(15,2), s_comment varchar",
                    10_000),
            new Table(
                    "nation",
                    "n_nationkey",
                    "n_nationkey bigint, n_name varchar, n_regionkey bigint, n_comment varchar",
                    25),
            new Table("region", "r_regionkey", "r_regionkey bigint, r_name varchar, r_comment varchar", 5));

    private final Map<String, Path> files = new LinkedHashMap<>();
    private final Map<String, Long> rows = new LinkedHashMap<>();

    /**
     * Table of TPC-H.
     *
     * @param primary the primary columns
     * @param columns names and types, in the form of the table option
     * @param rowsAtOne approximate number of rows at scale 1
     */
    record Table(String name, String primary, String columns, long rowsAtOne) {
        String key() {
            return primary.split(",")[0];
        }

        /** True for nation and region, which have the same rows at every scale. */
        boolean isFixedSize() {
            return rowsAtOne < 100;
        }
    }

    /** Writes the files of these tables, with progress. */
    public TpchDataGenerator(Path directory, List<Table> tables, double scale, Console console, LongSupplier nanos) {
        long total = (long) tables.stream()
                .mapToDouble(table -> table.isFixedSize() ? table.rowsAtOne() : table.rowsAtOne() * scale)
                .sum();
        ProgressBar progress = new ProgressBar(console.err(), console.terminal(), nanos, "generate", total);
        long done = 0;
        for (Table table : tables) {
            Path file = directory.resolve(table.name() + ".tbl");
            try (BufferedWriter out = Files.newBufferedWriter(file)) {
                long before = done;
                for (TpchEntity row : TpchTable.getTable(table.name()).createGenerator(scale, 1, 1)) {
                    String line = row.toLine();
                    // The generator ends a line with a bar, which readers interpret as one more column.
                    out.write(line, 0, line.length() - 1);
                    out.write('\n');
                    done++;
                    if (done % 1_000 == 0) {
                        progress.update(done, table.name());
                    }
                }
                rows.put(table.name(), done - before);
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot write " + file, e);
            }
            files.put(table.name(), file);
        }
        progress.finish();
    }

    /** Returns a table's file: one row per line, bars between values. */
    Path file(Table table) {
        Path file = files.get(table.name());
        if (file == null) {
            throw UniserveException.invalid("table " + table.name() + " was not generated");
        }
        return file;
    }

    long rows(Table table) {
        return rows.getOrDefault(table.name(), 0L);
    }

    /** Returns the number of rows by table. */
    Map<String, Long> rows() {
        return Map.copyOf(rows);
    }
}
