package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Each type of column in each operation, on two servers: answers equal those of one DuckDB with all rows. */
class MonetMatrixTest {
    private static final Logger LOG = LoggerFactory.getLogger(MonetMatrixTest.class);
    private static final Path MANUAL = Path.of("..", "..", "docs", "manual", "sql.md");

    /** Statements that the port refuses although the reference answers them, by the words of the manual. */
    private static final Map<String, Pattern> REFUSALS = Map.ofEntries(
            Map.entry("errors in values", Pattern.compile("division by zero, a number out of range")),
            Map.entry("`%` of doubles", Pattern.compile("Cannot apply '%' to arguments of type '.*DOUBLE")),
            Map.entry(
                    "CAST of a boolean to a number",
                    Pattern.compile("cannot convert value of type BOOLEAN to type INTEGER")),
            Map.entry("a bare NULL in SELECT", Pattern.compile("Illegal use of 'NULL'")),
            Map.entry("TRIM", Pattern.compile("TRIM on MonetDB is not supported")),
            Map.entry("a backslash in a constant", Pattern.compile("a backslash on MonetDB is not supported")),
            Map.entry("sub-queries", Pattern.compile("a sub-query on MonetDB is not supported")),
            Map.entry(
                    "queries with groups, DISTINCT, LIMIT or OFFSET",
                    Pattern.compile("a query in FROM or WITH with groups")),
            Map.entry("CAST of a date to a text", Pattern.compile("CAST of a date to a text on MonetDB")),
            Map.entry("CAST of a double to a text", Pattern.compile("CAST of a double to a text on MonetDB")),
            Map.entry(
                    "CAST of a double to a whole number",
                    Pattern.compile("CAST of a double to a whole number \\(put ROUND")),
            Map.entry("may be minus zero", Pattern.compile("which may be minus zero \\(add 0.0 to it\\), on MonetDB")),
            Map.entry(
                    "may have more than 15 digits",
                    Pattern.compile("of a number that may have more than 15 digits .* on MonetDB")),
            Map.entry(
                    "9223372036854775807",
                    Pattern.compile("the number 9223372036854775807, the largest of 64 bits, on MonetDB")),
            Map.entry(
                    "constants out of range together",
                    Pattern.compile("whose constants are out of range together on MonetDB")),
            Map.entry(
                    "sums and averages with GROUP BY",
                    Pattern.compile("sums of groups of type .* could be out of range")),
            Map.entry(
                    "texts that MonetDBLite takes wrongly",
                    Pattern.compile("LIKE with _ for a character beyond U\\+FFFF")));

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
                        .servers(2)
                        .engine(new MonetEngine())
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
                MatrixTable kept = table.withoutRows(refused(table));
                kept.load(client, "monetdb");
                reference.load(kept);
                for (List<@Nullable Object> row : refused(table)) {
                    assertThatThrownBy(() -> kept.put(client, "monetdb", List.of(row)))
                            .isInstanceOfSatisfying(
                                    UniserveException.class,
                                    e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
                }
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

    private static List<List<@Nullable Object>> refused(MatrixTable table) {
        return table.rows().stream()
                .filter(row -> row.contains((long) Integer.MIN_VALUE)
                        || row.contains(Long.MIN_VALUE)
                        || row.contains("\uE001"))
                .toList();
    }
}
