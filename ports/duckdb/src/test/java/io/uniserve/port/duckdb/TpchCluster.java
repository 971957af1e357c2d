package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.sql.engine.CancellableJdbcExecutor;
import io.uniserve.sql.rows.SqlAnswer;
import io.uniserve.sql.rows.SqlRows;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tables of TPC-H on a cluster of two servers, and in one reference DuckDB with all rows, which gets a query's text unchanged. */
final class TpchCluster implements AutoCloseable {
    private static final int BATCH_ROWS = 20_000;
    private static final Pattern AVERAGE = Pattern.compile("avg\\(([\\w.]+)\\)");

    private final LocalCluster cluster;
    private final UniserveClient client;
    private final Path directory;
    private final Connection whole;

    TpchCluster(Path directory) throws SQLException {
        this(directory, 2);
    }

    TpchCluster(Path directory, int servers) throws SQLException {
        this.directory = directory;
        cluster = LocalCluster.builder()
                .servers(servers)
                .port(PortLoader.load(Path.of("target", "port"), "duckdb"))
                .directory(directory.resolve("cluster"))
                .start();
        client = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
        whole = DriverManager.getConnection("jdbc:duckdb:");
    }

    /** Creates a cluster with all tables of TPC-H. */
    static TpchCluster all(Path directory, double scale) throws Exception {
        TpchCluster cluster = new TpchCluster(directory);
        cluster.load(Tpch.LINEITEM, 4, 1, scale);
        cluster.load(Tpch.ORDERS, 3, 1, scale);
        cluster.load(Tpch.CUSTOMER, 3, 1, scale);
        cluster.load(Tpch.PART, 2, 1, scale);
        cluster.load(Tpch.SUPPLIER, 2, 1, scale);
        cluster.load(Tpch.PARTSUPP, 3, 1, scale);
        cluster.load(Tpch.NATION, 2, 1, scale);
        cluster.load(Tpch.REGION, 1, 1, scale);
        return cluster;
    }

    /** Returns a table that a query names. */
    static String table(String sql) {
        Matcher named = Pattern.compile("\\bFROM (lineitem|orders|customer|part|supplier|partsupp|nation|region)\\b")
                .matcher(sql);
        assertThat(named.find()).as(sql).isTrue();
        return named.group(1);
    }

    /** Creates and fills a table in both; the reference uses DuckDB's own reader, without code of the port. */
    void load(Tpch.Table table, int actors, int replicas, double scale) throws Exception {
        load(table, actors, replicas, scale, ConsistencyLevel.EVENTUAL);
    }

    void load(Tpch.Table table, int actors, int replicas, double scale, ConsistencyLevel level) throws Exception {
        load(table, actors, replicas, table.lines(scale), level);
    }

    /** Creates and fills a table with these lines, each with a bar after every value. */
    void load(Tpch.Table table, int actors, int replicas, List<String> lines) throws Exception {
        load(table, actors, replicas, lines, ConsistencyLevel.EVENTUAL);
    }

    void load(Tpch.Table table, int actors, int replicas, List<String> lines, ConsistencyLevel level) throws Exception {
        client.admin()
                .createTable(TableSpec.named(table.name())
                        .port("duckdb")
                        .keyField(table.key())
                        .hash(actors)
                        .replicas(replicas)
                        .level(level)
                        .option("columns", table.columns())
                        .option("primary", table.primary()));
        ColumnSchema columns = columns(table.name());
        for (int from = 0; from < lines.size(); from += BATCH_ROWS) {
            List<String> some = lines.subList(from, Math.min(lines.size(), from + BATCH_ROWS));
            put(table.name(), "duckdb.put@1", Tpch.documents(table, some, columns));
        }
        Path file = directory.resolve(table.name() + ".tbl");
        Files.write(
                file,
                lines.stream().map(line -> line.substring(0, line.length() - 1)).toList());
        DuckDatabase.execute(whole, "CREATE TABLE " + table.name() + " (" + table.columns() + ")");
        DuckDatabase.execute(
                whole,
                "COPY " + table.name() + " FROM " + DuckDatabase.quote(file)
                        + " (DELIMITER '|', HEADER false, AUTO_DETECT false)");
    }

    /** Applies an update function. */
    void put(String table, String function, List<Document> rows) {
        client.table(table).update(function, Document.CODEC, rows).run().orThrow();
    }

    ColumnSchema columns(String table) {
        return ColumnSchema.of(client.admin().describeTable(table).meta());
    }

    LocalCluster cluster() {
        return cluster;
    }

    UniserveClient client() {
        return client;
    }

    Connection whole() {
        return whole;
    }

    String ask(String table, String sql) {
        return client.query(table, sql).body().utf8();
    }

    /** Returns an answer's rows. */
    static String rows(String answer) {
        Matcher rows = Pattern.compile("(?s).*\"rows\":(\\[.*\\])\\}\\n").matcher(answer);
        assertThat(rows.matches()).as(answer).isTrue();
        return rows.group(1);
    }

    /**
     * Returns the answer of the engine alone. Intervals lose their precision, which it does not support, and averages are computed as
     * defined. The same code writes the answer.
     */
    String expected(String sql) throws SQLException {
        SqlRows rows = CancellableJdbcExecutor.answer(
                whole, AVERAGE.matcher(sql.replace(" day (3)", " day")).replaceAll("(sum($1) / count($1))"));
        return rows(SqlAnswer.of(rows.types(), rows).body().utf8());
    }

    @Override
    public void close() throws SQLException {
        client.close();
        cluster.close();
        whole.close();
    }
}
