package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SQL by commands, on a cluster of processes: tables are created, files loaded, statements answered. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SqlIT {
    private static final int SALES = 3_000;

    private ShopCluster cluster;
    private String before = "";

    @BeforeAll
    void start(@TempDir Path root) throws IOException {
        cluster = new ShopCluster(root, "duckdb", 5, SALES);
        before = cluster.state();
    }

    /** Checks that the test changed nothing. */
    @AfterEach
    void nothingChanged() {
        assertThat(cluster.state()).isEqualTo(before);
    }

    @AfterAll
    void close() {
        cluster.close();
    }

    private Run run(String... words) {
        return cluster.run(words);
    }

    @Test
    void aJoinIsAnsweredAndExplained() {
        long romans = 0;
        for (int i = 1; i <= SALES; i++) {
            romans += i % ShopCluster.SHOPS % 4 == 0 ? 100L * i + i % 100 : 0;
        }
        String sql = "SELECT city, sum(amount) AS total, count(*) AS n FROM sales JOIN shops ON sales.shop = shops.shop"
                + " WHERE city = 'Rome' GROUP BY city";
        Run text = run("sql", sql);
        assertThat(text.err()).isEmpty();
        assertThat(text.lines())
                .containsExactly(
                        "city       total    n", "Rome  %d.%02d  750".formatted(romans / 100, romans % 100), "(1 row)");
        assertThat(run("sql", sql, "-o", "json").out())
                .contains("[\"Rome\",%d.%02d,750]".formatted(romans / 100, romans % 100));
        assertThat(run("sql", "--explain", sql).out())
                .contains("in place: sales, about 3,000 rows", "broadcast shops from 2 actors of shops: 5 rows, ")
                .contains("partial at 5 actors of sales: 5 rows");
        // Rows, bytes, servers and time of each stage; the broadcast rows are those of Rome, which are on one server or
        // on both.
        String ids = servers();
        Run stages = run("query", "sales", sql, "--explain");
        assertThat(stages.exit()).as(stages.err()).isEqualTo(ExitCode.OK);
        assertThat(stages.out())
                .containsPattern(
                        "broadcast shops from 2 actors of shops: 5 rows, [0-9,]+ bytes.*; [0-9,]+ bytes read of"
                                + " (1 server|2 servers) \\([^)]*\\); [0-9.]+ ms\n")
                .containsPattern("partial at 5 actors of sales: 5 rows; [0-9,]+ bytes read of 2 servers \\(" + ids
                        + "\\); [0-9.]+ ms\n")
                .containsPattern("finish: 1 row, on server (" + ids.replace(", ", "|") + "); [0-9.]+ ms\n");
        assertThat(run(
                                "query",
                                "sales",
                                "SELECT /*+ shuffle */ count(*) FROM sales JOIN shops ON sales.shop = shops.shop",
                                "--explain")
                        .out())
                .containsPattern(
                        "shuffle shops by shop from 2 actors of shops: 20 rows, [0-9,]+ bytes, .*[12] servers? \\([^)]*\\), stage of [0-9.]+ ms")
                .containsPattern("joined in 5 slots, at the actors of sales: .*[0-9,]+ bytes, .*2 servers \\(" + ids
                        + "\\), stage of [0-9.]+ ms");
    }

    /** Server ids in the order and form of status. */
    private String servers() {
        String ids = run("status").lines().stream()
                .filter(line -> line.matches("[0-9a-f]{8} .*"))
                .map(line -> line.substring(0, 8))
                .sorted()
                .collect(Collectors.joining(", "));
        assertThat(ids).matches("[0-9a-f]{8}, [0-9a-f]{8}");
        return ids;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT amount FRM sales | line 1, column 19: syntax error",
                "SELECT nosuch FROM sales | line 1, column 8: Column 'nosuch' not found",
                "SELECT shop FROM sales, shops WHERE sales.shop = shops.shop | line 1, column 8: Column 'shop' is ambiguous",
                "SELECT 1 FROM nosuch | line 1, column 15: table nosuch does not exist",
                "SELECT id FROM sales WHERE sold > 3 | line 1, column 28: Cannot apply",
                "SELECT id / (id - id) FROM sales | division by zero",
                "SELECT 9223372036854775807 + id FROM sales | Out of Range",
                "SELECT sum(id) FROM sales WHERE CAST(sold AS VARCHAR) = 1 | line 1, column",
                "SELECT id FROM sales WHERE amount = 'x' | line 1, column",
                "SELECT CAST(name AS BIGINT) FROM shops | Conversion Error",
                "SELECT id FROM sales LIMIT -1 | line 1, column",
                "SELECT id FROM sales LIMIT 99999999999999999999 | line 1, column",
                "SELECT id FROM sales WHERE id IN () | line 1, column",
                "SELECT (SELECT id FROM sales) FROM shops | rows where one value is wanted",
                "SELECT shop, id FROM sales GROUP BY shop | line 1, column",
                "DROP TABLE sales | line 1, column",
                "DELETE FROM sales | line 1, column",
                "COPY sales FROM '/etc/passwd' (FORMAT csv) | line 1, column 1: syntax error",
                "COPY (SELECT * FROM sales) TO '/tmp/sales.parquet' | line 1, column 26: syntax error",
                "SELECT 1 FROM sales; DROP TABLE sales | line 1, column"
            })
    void whatIsWrongIsRefused(String sql, String message) {
        Run run = run("sql", sql);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).containsAnyOf("INVALID_ARGUMENT", "UNSUPPORTED").contains(message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void statementsThatAreTooLongOrTooDeepAreRefused() {
        Run wide = run("sql", "SELECT " + "id + ".repeat(20_000) + "id FROM sales");
        assertThat(wide.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(wide.err()).contains("characters, at most 65536");
        Run deep = run("sql", "SELECT " + "(".repeat(30_000) + "id" + ")".repeat(30_000) + " FROM sales");
        assertThat(deep.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(deep.err()).contains("INVALID_ARGUMENT");
        StringBuilder many = new StringBuilder("SELECT 1 FROM sales WHERE id = 1");
        for (int i = 0; i < 100; i++) {
            many.append(" AND id NOT IN (SELECT shop FROM shops WHERE shop < ")
                    .append(i)
                    .append(")");
        }
        Run stages = run("sql", many.toString());
        assertThat(stages.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(stages.err()).contains("line 1, column").contains("a query has at most 64 SELECTs");
        Run keys = run(
                "sql",
                "SELECT count(*) AS n FROM sales WHERE id IN (" + "7, 7, -1, 9223372036854775807, ".repeat(1_000)
                        + "7)",
                "-o",
                "json");
        assertThat(keys.out()).contains("[1]");
    }

    /**
     * Nothing is loaded of a file with an invalid row, although it has valid rows, enough for batches, before and after it. The place is
     * reported with line and column.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "shop,name,town  | 1,a,b         | line 1, column 3: \"town\" is no column of the table",
                "name,city       | a,b           | line 1: column \"shop\" is missing; it is part of the primary key",
                "shop,name,city  | x,a,b         | line 12, column 1 (shop): \"x\" is no integer",
                "shop,name,city  | 99999999999,a,b | line 12, column 1 (shop): \"99999999999\" is no integer",
                "shop,name,city  | ,a,b          | line 12, column 1 (shop): is empty; it is part of the primary key",
                "shop,name,city  | 5             | line 12, column 2 (name): 1 values for 3 columns",
                "shop,name,city  | 6,a,b,c       | line 12, column 4: 4 values for 3 columns",
                "shop,name,city  | 7,\u00ff,b   | line 12, column 2 (name): is not UTF-8",
                "shop,name,city  | 21,\"open,b  | line 12, column 2 (name): is not CSV: the quote that opens",
                "shop,name,city  | 21,\"a\"b,c | line 12, column 2 (name): is not CSV: text follows"
            })
    void ofAFileWithAWrongRowNothingIsLoaded(String header, String wrong, String message, @TempDir Path files)
            throws IOException {
        StringBuilder rows = new StringBuilder(header).append('\n');
        for (int i = 0; i < 20; i++) {
            rows.append(i == 10 ? wrong : "%d,new %d,Bern".formatted(1_000 + i, i))
                    .append('\n');
        }
        Path file = Files.write(files.resolve("rows.csv"), rows.toString().getBytes(StandardCharsets.ISO_8859_1));
        Run run = run("load", "shops", file.toString(), "--batch", "3");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("rows.csv " + message);
        assertThat(run.out()).startsWith("0 rows loaded");
    }

    @Test
    void ofBarsWithAWrongRowNothingIsLoaded(@TempDir Path files) throws IOException {
        String right = "%d|3|7.00|2026-02-01|\n";
        String before = right.formatted(90_001) + right.formatted(90_002);
        for (String wrong : List.of("90003|3|7.001|2026-02-01|", "90003|3|7.00|2026-02-30|", "x|3|7.00|2026-02-01|")) {
            Path file = Files.writeString(files.resolve("rows.tbl"), before + wrong + "\n" + right.formatted(90_004));
            Run run = run("load", "sales", file.toString(), "--batch", "1");
            assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err()).containsPattern("rows.tbl line 3, column [134] \\((id|amount|sold)\\): ");
            assertThat(run.out()).startsWith("0 rows loaded");
        }
    }
}
