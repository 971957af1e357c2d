package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid statements and files for MonetDB in servers of their own processes: refused by name, without changes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MonetBadInputIT {
    private static final int SALES = 1_000;

    private ShopCluster cluster;
    private String before = "";

    @BeforeAll
    void start(@TempDir Path root) throws IOException {
        cluster = new ShopCluster(root, "monetdb", 4, SALES);
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

    /** Refusals have a place, including those for MonetDB only; errors that depend on values have none. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT amount FRM sales | line 1, column 19: syntax error",
                "SELECT nosuch FROM sales | line 1, column 8: Column 'nosuch' not found",
                "SELECT 1 FROM nosuch | line 1, column 15: table nosuch does not exist",
                "SELECT shop FROM sales, shops WHERE sales.shop = shops.shop | line 1, column 8: Column 'shop' is ambiguous",
                "SELECT id FROM sales WHERE sold > 3 | line 1, column 28: Cannot apply",
                "SELECT id FROM sales WHERE amount = 'x' | line 1, column",
                "SELECT id / (id - id) FROM sales | MonetDB: the query fails on some value",
                "SELECT id % (id - id) FROM sales | MonetDB: the query fails on some value",
                "SELECT sum(id) / sum(id - id) FROM sales | MonetDB: the query fails on some value",
                "SELECT 9223372036854775806 + id FROM sales | MonetDB: the query fails on some value",
                "SELECT id * 9223372036854775806 FROM sales WHERE id > 1 | MonetDB: the query fails on some value",
                "SELECT id + 9223372036854775807 FROM sales | the largest of 64 bits, on MonetDB is not supported",
                "SELECT sum(id + 9223372036854770000) FROM sales | MonetDB: the query fails on some value",
                "SELECT sum(id + 9223372036854770000) FROM sales WHERE id IN (1, 2) | MonetDB: the query fails on some value",
                "SELECT shop, sum(id + 9223372036854770000) FROM sales GROUP BY shop | sums of groups of type BIGINT",
                "SELECT shop, avg(id + 9223372036854770000) FROM sales GROUP BY shop | sums of groups of type BIGINT",
                "SELECT sum(amount * 1000000000000) FROM sales | MonetDB: the query fails on some value",
                "SELECT CAST(id + 3000000000 AS INTEGER) FROM sales | MonetDB: the query fails on some value",
                "SELECT CAST(name AS BIGINT) FROM shops | MonetDB: the query fails on some value",
                "SELECT CAST('2026-02-30' AS DATE) FROM shops | MonetDB: the query fails on some value",
                "SELECT id FROM sales FULL JOIN shops ON sales.shop = shops.shop | line 1, column",
                "SELECT name FROM shops WHERE name = 'a\\b' | line 1, column 37: a backslash on MonetDB is not supported",
                "SELECT TRIM(name) FROM shops | line 1, column 8: TRIM on MonetDB is not supported",
                "SELECT id FROM sales WHERE shop IN (SELECT shop FROM shops) | line 1, column 37: a sub-query on MonetDB",
                "WITH s AS (SELECT DISTINCT shop FROM sales) SELECT shop FROM s | line 1, column 12: a query in FROM or WITH with groups",
                "SELECT id FROM sales, shops WHERE sales.shop = shops.shop AND sales.shop + 1 = shops.shop + 1 | line 1, column 63: a join by a computed value beside another equality on MonetDB",
                "SELECT id FROM sales LIMIT -1 | line 1, column",
                "DROP TABLE sales | line 1, column 1: syntax error",
                "DELETE FROM sales | line 1, column",
                "SELECT 1 FROM sales; DROP TABLE sales | line 1, column"
            })
    void whatIsWrongIsRefused(String sql, String message) {
        Run run = run("sql", sql);
        assertThat(run.exit()).as(run.out()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).containsAnyOf("INVALID_ARGUMENT", "UNSUPPORTED").contains(message);
        assertThat(run.out()).isEmpty();
    }

    /** No statement reads or writes a file. So no column file of another byte order can be misread. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "COPY BINARY INTO sales FROM ('%s', '%s', '%s', '%s')",
                "COPY LITTLE ENDIAN BINARY INTO sales FROM ('%s', '%s', '%s', '%s')",
                "COPY 1000 RECORDS INTO sales FROM '%s' USING DELIMITERS '|'",
                "COPY INTO sales FROM STDIN",
                "COPY SELECT * FROM sales INTO '%s'"
            })
    void noStatementReadsOrWritesAFile(String sql, @TempDir Path files) throws IOException {
        Path file = Files.write(files.resolve("column.bin"), littleEndian(SALES));
        Run run = run("sql", sql.replace("%s", file.toString()));
        assertThat(run.exit()).as(run.out()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("INVALID_ARGUMENT: line 1, column 1: syntax error");
        assertThat(run.out()).isEmpty();
        assertThat(file).hasBinaryContent(littleEndian(SALES));
    }

    /** Column file in the format of COPY BINARY: numbers of 64 bits, low byte first. */
    private static byte[] littleEndian(int numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (long i = 1; i <= numbers; i++) {
            bytes.putLong(i);
        }
        return bytes.array();
    }

    /** Refused in every format: its name shows no format, as CSV it has no valid header, and as .tbl no valid rows. */
    @Test
    void aBinaryColumnFileIsRefused(@TempDir Path files) throws IOException {
        Path file = Files.write(files.resolve("id.bin"), littleEndian(SALES));
        assertThat(refused("sales", file)).contains("cannot determine the format of", "id.bin");
        assertThat(refused("sales", file, "--format", "csv")).containsPattern("id\\.bin line 1[:,]");
        assertThat(refused("sales", file, "--format", "tbl"))
                .contains("id.bin line 1, column 2 (shop): 1 values for 4 columns");
        assertThat(refused("sales", file, "--format", "jsonl")).contains("id.bin line 1");
    }

    /** Returns the error of a load that loaded nothing; control characters of the file must not reach the terminal. */
    private String refused(String table, Path file, String... more) {
        List<String> words = new ArrayList<>(List.of("load", table, file.toString(), "--batch", "3"));
        words.addAll(List.of(more));
        Run run = run(words.toArray(String[]::new));
        assertThat(run.exit()).as(run.out() + run.err()).isIn(ExitCode.REFUSED, ExitCode.USAGE);
        assertThat(run.out()).matches("(0 rows loaded.*\\s*)?");
        assertThat(run.err()).doesNotContainPattern("[\\p{Cntrl}&&[^\\n]]");
        return run.err();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "shop,name,town  | 1,a,b         | line 1, column 3: \"town\" is no column of the table",
                "name,city       | a,b           | line 1: column \"shop\" is missing; it is part of the primary key",
                "shop,name,city  | 5             | line 12, column 2 (name): 1 values for 3 columns",
                "shop,name,city  | 6,a,b,c       | line 12, column 4: 4 values for 3 columns",
                "shop,name,city  | x,a,b         | line 12, column 1 (shop): \"x\" is no integer",
                "shop,name,city  | ,a,b          | line 12, column 1 (shop): is empty; it is part of the primary key",
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
        assertThat(refused("shops", file)).contains("rows.csv " + message);
    }

    /** Values that the columns allow but MonetDB does not: each is reported with its row, the other rows are loaded. */
    @Test
    void whatOnlyMonetDbRefusesIsToldRowByRow(@TempDir Path files) throws IOException {
        cluster.create("texts", "id bigint, n integer, t varchar", 2);
        StringBuilder rows = new StringBuilder();
        List<String> wrong = List.of("\"n\":-2147483648", "\"t\":\"a\\u0000\"", "\"t\":\"\\ue000\"", "\"n\":1");
        for (int i = 0; i < wrong.size(); i++) {
            rows.append(
                    "{\"id\":%d,\"n\":7,\"t\":\"\u20ac\"}\n{\"id\":%d,%s}\n".formatted(2 * i, 2 * i + 1, wrong.get(i)));
        }
        Path file = Files.writeString(files.resolve("rows.jsonl"), rows);
        Run run = run("load", "texts", file.toString(), "--batch", "4");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.out()).startsWith("5 rows loaded").contains("3 rejected, 0 not acknowledged");
        assertThat(run.err())
                .containsPattern("INVALID_ROW: .*rows.jsonl line 2: .*field \"n\": -2147483648 is MonetDB's NULL")
                .containsPattern(
                        "INVALID_ROW: .*rows.jsonl line 4: .*field \"t\": MonetDB cannot store a text with U\\+0000")
                .containsPattern(
                        "INVALID_ROW: .*rows.jsonl line 6: .*field \"t\": MonetDB cannot store a text with U\\+0000");
        assertThat(run("sql", "-o", "json", "SELECT id FROM texts ORDER BY id").out())
                .contains("\"rows\":[\n[0],\n[2],\n[4],\n[6],\n[7]\n]");
    }
}
