package io.uniserve.port.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.client.UniserveClient;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import io.uniserve.testkit.sql.MatrixCell;
import io.uniserve.testkit.sql.MatrixComparison;
import io.uniserve.testkit.sql.MatrixOracle;
import io.uniserve.testkit.sql.MatrixTable;
import io.uniserve.testkit.sql.SqlMatrix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Each type of column in each operation, on three servers: answers equal those of one DuckDB with all rows. */
class SqlMatrixTest {
    private static final Logger LOG = LoggerFactory.getLogger(SqlMatrixTest.class);
    private static final Path MANUAL = Path.of("..", "..", "docs", "manual", "sql.md");

    /** Statements that the port refuses although the reference answers them, by the words of the manual. */
    private static final Map<String, Pattern> REFUSALS = Map.of(
            "Division by zero", Pattern.compile("division by zero"),
            "`%` of doubles", Pattern.compile("Cannot apply '%' to arguments of type '.*DOUBLE"),
            "CAST of a boolean to a number", Pattern.compile("cannot convert value of type BOOLEAN to type INTEGER"),
            "a bare NULL in SELECT", Pattern.compile("Illegal use of 'NULL'"));

    @TempDir
    Path directory;

    /**
     * The seed is {@code -Duniserve.matrix.seed}, else that of the day. {@code -Duniserve.matrix.rows} is the number of rows per table,
     * {@code -Duniserve.matrix.percent} the share of all statements, {@code -Duniserve.matrix.only} a pattern for them.
     */
    @Test
    void everyTypeInEveryOperationIsAnsweredAsByOneEngine() throws Exception {
        long seed = Long.getLong("uniserve.matrix.seed", Long.getLong("uniserve.parity.day", 20261126));
        SqlMatrix matrix = new SqlMatrix(seed, Integer.getInteger("uniserve.matrix.rows", 60));
        List<MatrixCell> cells = matrix.sample(
                Integer.getInteger("uniserve.matrix.percent", 15), System.getProperty("uniserve.matrix.only", ""));
        try (LocalCluster cluster = LocalCluster.builder()
                        .servers(3)
                        .port(PortLoader.load(Path.of("target", "port"), "duckdb"))
                        .directory(directory.resolve("cluster"))
                        .start();
                UniserveClient client = UniserveClient.builder()
                        .bootstrap(cluster.bootstrap().toArray(String[]::new))
                        .deadline(Duration.ofMinutes(2))
                        .connectTimeout(Duration.ofMinutes(1))
                        .build();
                Connection whole = DriverManager.getConnection("jdbc:duckdb:")) {
            MatrixOracle reference = new MatrixOracle(whole);
            for (MatrixTable table : matrix.tables()) {
                table.load(client, "duckdb");
                reference.load(table);
            }
            MatrixComparison run = new MatrixComparison(
                    (table, sql) -> client.query(table, sql).body().utf8(), reference, REFUSALS);
            run.run(cells);
            LOG.warn(
                    "{} statements with -Duniserve.matrix.seed={}: {} answered, {} fail on both, refused {}",
                    cells.size(),
                    seed,
                    run.answered(),
                    run.failed(),
                    run.rejectedByReason());
            assertThat(String.join("\n", run.faults()))
                    .as("-Duniserve.matrix.seed=%s", seed)
                    .isEmpty();
            String manual = Files.readString(MANUAL);
            assertThat(REFUSALS.keySet()).as("words of the manual").allMatch(manual::contains);
            assertThat(run.answered()).isGreaterThan(cells.size() * 4 / 5);
        }
    }
}
