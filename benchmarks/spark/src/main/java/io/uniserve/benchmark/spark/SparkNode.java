package io.uniserve.benchmark.spark;

import io.uniserve.benchmark.peer.BaselineSqlEngine;
import io.uniserve.benchmark.peer.BaselineSqlServer;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/** Spark SQL on all cores of this process. Its tables are either cached in memory by CACHE TABLE, or Parquet files. */
public final class SparkNode implements BaselineSqlEngine {
    /** Storage of the tables. */
    enum Tables {
        CACHED,
        PARQUET
    }

    private final SparkSession spark;
    private final Tables tables;
    private final int cores;
    private final Path directory;

    private SparkNode(Tables tables, int cores, Path directory) {
        this.tables = tables;
        this.cores = cores;
        this.directory = directory;
        this.spark = SparkSession.builder()
                .appName("bench tpch")
                .master("local[" + cores + "]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.local.dir", directory.resolve("local").toString())
                .config(
                        "spark.sql.warehouse.dir",
                        directory.resolve("warehouse").toString())
                .config("spark.sql.session.timeZone", "UTC")
                // The default of 200 is for clusters; on one node, one task per core is best.
                .config("spark.sql.shuffle.partitions", Integer.toString(cores))
                .getOrCreate();
    }

    /** Arguments: cached or parquet, cores, a working directory. */
    public static void main(String[] arguments) throws Exception {
        Tables tables = arguments[0].equals("cached") ? Tables.CACHED : Tables.PARQUET;
        BaselineSqlServer.serve(
                "spark-" + arguments[0], new SparkNode(tables, Integer.parseInt(arguments[1]), Path.of(arguments[2])));
        Runtime.getRuntime().halt(0);
    }

    @Override
    public String name() {
        return "Spark SQL " + spark.version() + ", local[" + cores + "], "
                + (tables == Tables.CACHED ? "cached tables" : "Parquet");
    }

    @Override
    public void load(String table, String columns, String file) {
        String parquet = directory.resolve(table + ".parquet").toString();
        spark.read()
                .schema(StructType.fromDDL(columns.replace("varchar", "string")))
                .option("delimiter", "|")
                .option("mode", "FAILFAST")
                .csv(file)
                .write()
                .parquet(parquet);
        Dataset<Row> rows = spark.read().parquet(parquet);
        rows.createOrReplaceTempView(table);
        if (tables == Tables.CACHED) {
            spark.sql("CACHE TABLE " + table);
        }
    }

    @Override
    public List<List<@Nullable String>> query(String sql) {
        List<List<@Nullable String>> rows = new ArrayList<>();
        for (Row row : spark.sql(sql).collectAsList()) {
            List<@Nullable String> values = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                values.add(text(row.get(i)));
            }
            rows.add(values);
        }
        return rows;
    }

    private static @Nullable String text(@Nullable Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : value == null ? null : value.toString();
    }
}
