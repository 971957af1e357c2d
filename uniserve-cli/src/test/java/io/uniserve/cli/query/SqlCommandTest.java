package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlCommandTest {
    private static final String JSON = "application/json";
    private static final String ROWS = "{\"columns\":[{\"name\":\"day\",\"type\":\"DATE\"},"
            + "{\"name\":\"total\",\"type\":\"DECIMAL(38,2)\"},{\"name\":\"note\",\"type\":\"VARCHAR\"}],\n\"rows\":[\n"
            + "[\"1998-12-01\",12345678901234567890.10,\"a\\nb\\u001b[2J\"],\n[\"1998-12-02\",null,\"\"]\n]}\n";

    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @BeforeEach
    void createTables() {
        uniserve.run("table", "create", "accounts", "--engine", "kv", "-O", "columns=id bigint, orders bigint");
        uniserve.run("table", "create", "orders", "--engine", "kv", "-O", "columns=id bigint");
        uniserve.run("table", "create", "words", "--engine", "kv");
    }

    /** Sets the server parser's answer for the names of a statement. */
    private void names(String sql, String... tables) {
        String rows = Stream.of(tables).map(table -> "[\"" + table + "\"]").collect(Collectors.joining(",\n"));
        cluster.answer(
                StatementTableFinder.TABLES_OF + sql,
                JSON,
                "{\"columns\":[{\"name\":\"table\",\"type\":\"VARCHAR\"}],\n\"rows\":[\n" + rows + "\n]}\n");
    }

    /** Sets the answer of a statement on table orders. */
    private void rows(String sql) {
        names(sql, "orders");
        cluster.answer(sql, JSON, ROWS);
    }

    @Test
    void rowsAsTextWithExactNumbers() {
        rows("SELECT day FROM orders");
        Run run = uniserve.run("sql", "SELECT day FROM orders");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.lines())
                .containsExactly(
                        "day                           total  note",
                        "1998-12-01  12345678901234567890.10  a b [2J",
                        "1998-12-02                     NULL",
                        "(2 rows)");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void rowsAsJsonAreThoseOfThePort() {
        rows("SELECT day FROM orders");
        Run run = uniserve.run("sql", "SELECT day FROM orders;\n", "-o", "json");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).isEqualTo(ROWS.stripTrailing() + System.lineSeparator());
    }

    /** The server explains the steps for every port. */
    @Test
    void theStepsOfAPlan() {
        String sql = "SELECT 1 FROM orders";
        rows(sql);
        names("explain\n" + sql, "orders");
        String steps = "answer: " + ROWS.length() + " bytes";
        Run text = uniserve.run("sql", "--explain", sql);
        assertThat(text.lines()).as(text.err()).containsExactly("retrieve of orders", steps);
        assertThat(uniserve.run("sql", "explain\n" + sql).lines()).isEqualTo(text.lines());
        assertThat(uniserve.run("sql", "--explain", "explain\n" + sql).lines()).isEqualTo(text.lines());
        Run json = uniserve.run("sql", "--explain", sql, "-o", "json");
        assertThat(json.lines()).containsExactly("{\"plan\":[\"retrieve of orders\",\"" + steps + "\"]}");
        names("EXPLAIN (TYPE IO) " + sql, "orders");
        assertThat(uniserve.run("sql", "EXPLAIN (TYPE IO) " + sql).lines()).contains("orders", "(1 row)");
    }

    /** A statement of the maximum length; the next one is answered too. */
    @ParameterizedTest
    @ValueSource(strings = {"y", "''", "\"", "--"})
    void aLongTextIsNoNestingOfAnything(String part) {
        String sql = "SELECT day FROM orders WHERE note <> '" + part.repeat(60_000 / part.length()) + "'";
        rows(sql);
        names("SELECT 2 FROM accounts", "accounts");
        cluster.answer("SELECT 2 FROM accounts", JSON, ROWS);
        Run run = uniserve.input(sql + ";\nSELECT 2 FROM accounts;\n").run("sql");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).filteredOn("(2 rows)"::equals).hasSize(2);
        assertThat(cluster.changes()).endsWith("query accounts LINEARIZABLE");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "SELECT orders FROM accounts               | accounts        | accounts",
                "select accounts.id from(ORDERS)           | ORDERS          | orders",
                "SELECT 1 FROM nosuch JOIN orders ON 1 = 1 | nosuch,orders   | orders",
                "SELECT extract(year FROM accounts) FROM orders | orders     | orders",
                "SELECT 'a' FROM orders // it's ;          | orders          | orders",
                "WITH accounts AS (SELECT 1 FROM orders) SELECT 1 FROM accounts | orders | orders",
                "SELECT 1                                  | ``              | accounts",
                "SELECT 1 FROM words                       | words           | accounts"
            })
    void theStatementGoesToOneOfItsTables(String sql, String named, String table) {
        names(sql, named.isEmpty() ? new String[0] : named.split(","));
        cluster.answer(sql, JSON, ROWS);
        Run run = uniserve.input(sql + "\n;\n").run("sql", "--read", "stale");
        assertThat(run.err()).isEmpty();
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.changes()).endsWith("query " + table + " STALE");
    }

    /** With a single typed table the names are not requested. */
    @Test
    void aLoneTableIsAskedAtOnce() {
        uniserve.run("table", "drop", "accounts");
        cluster.answer("SELECT 1 FROM orders", JSON, ROWS);
        assertThat(uniserve.run("sql", "SELECT 1 FROM orders").exit()).isEqualTo(ExitCode.OK);
    }

    @Test
    void aStatementThatFailsEndsNoOther() {
        rows("SELECT 1 FROM orders");
        names("SELECT 2 FROM orders", "orders");
        cluster.answer("SELECT 2 FROM orders", JSON, "[]");
        byte[] input = ("SELECT 2 FROM orders; SELECT '" + "x".repeat(1_000_000)
                        + "';SELECT '\u00ff';SELECT 1 FROM orders")
                .getBytes(StandardCharsets.ISO_8859_1);
        Run run = uniserve.input(input).run("sql");
        assertThat(run.lines()).filteredOn("(2 rows)"::equals).hasSize(1);
        assertThat(run.err().lines())
                .satisfiesExactly(
                        line -> assertThat(line).contains("PORT_PROTOCOL"),
                        line -> assertThat(line).contains("INVALID_ARGUMENT", "more than 262144 characters"),
                        line -> assertThat(line).contains("INVALID_ARGUMENT", "not UTF-8"));
        assertThat(run.exit()).isEqualTo(ExitCode.FAULT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-- it's;", "// it's;", "/* it's; */", "/* /* it's; */", "--\r", "/**/"})
    void whatIsInACommentEndsNothing(String comment) {
        String sql = "SELECT 1 " + comment + "\r\nFROM orders";
        rows(sql);
        Run run = uniserve.input("\ufeff" + sql + ";" + sql).run("sql");
        assertThat(run.err()).isEmpty();
        assertThat(run.lines()).filteredOn("(2 rows)"::equals).hasSize(2);
    }

    @Test
    void whatThePortRefuses() {
        Run run = uniserve.run("sql", "SELECT 1 FROM orders");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("INVALID_ARGUMENT: unknown query");
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aStatementThatIsNone() {
        assertThat(uniserve.run("sql", " ; ").exit()).isEqualTo(ExitCode.USAGE);
        Run empty = uniserve.input("").run("sql");
        assertThat(empty.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(empty.err()).contains("the statement is empty");
        Run large = uniserve.input("x".repeat(2_000_000)).run("sql", "-");
        assertThat(large.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(large.err()).contains("more than 262144 characters");
    }

    @Test
    void statementsOneAfterTheOther() {
        rows("SELECT 'a;b' FROM orders");
        rows("SELECT 2 -- one; two\nFROM orders");
        Run run = uniserve.input(
                        "SELECT 'a;b' FROM orders; nonsense;\n\n-- a comment\n;SELECT 2 -- one; two\nFROM orders;"
                                + " /* ; */ \n\\x\n\\q\nSELECT 3 FROM orders;")
                .run("sql", "-o", "json");
        assertThat(run.out()).isEqualTo((ROWS.stripTrailing() + System.lineSeparator()).repeat(2));
        assertThat(run.err().lines())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("uniserve: INVALID_ARGUMENT: unknown query");
        assertThat(run.err()).contains("\"\\x\" with 0 words is not a command of the shell; \\? lists them");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    void theShellTellsTablesAndTimes() {
        rows("SELECT 1 FROM orders");
        Run run = uniserve.input("\\d\n\\d ORDERS\n\\timing\nSELECT 1 FROM orders;\n\\timing\nSELECT 1 FROM orders;"
                        + "\\?\n\\d nosuch\n\\d words\n\\timing on\n")
                .run("sql");
        assertThat(run.lines())
                .startsWith(
                        "table     port  key  actors",
                        "accounts  kv    id        8",
                        "orders    kv    id        8",
                        "column  type    primary",
                        "id      bigint  yes")
                .endsWith("\\q, or Ctrl-D      end");
        assertThat(run.err()).containsPattern("timing is on\\s+[0-9.]+ ms\\s+timing is off");
        assertThat(run.err().lines())
                .filteredOn(line -> line.startsWith("uniserve: INVALID_ARGUMENT"))
                .hasSize(3);
        assertThat(run.err()).contains("no table \"words\" with typed columns", "\"\\timing\" with 1 words");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        Run json = uniserve.input("\\d orders\n").run("sql", "-o", "json");
        assertThat(json.lines())
                .containsExactly("{\"columns\":[{\"column\":\"id\",\"type\":\"bigint\",\"primary\":\"yes\"}]}");
    }

    @Test
    void theLastStatementNeedsNoSemicolon() {
        rows("SELECT 1 FROM orders");
        rows("SELECT 2 FROM orders");
        Run run = uniserve.input("SELECT 1 FROM orders;SELECT 2 FROM orders").run("sql", "-");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.lines()).filteredOn("(2 rows)"::equals).hasSize(2);
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aClusterWithoutColumns() {
        uniserve.run("table", "drop", "accounts");
        uniserve.run("table", "drop", "orders");
        Run run = uniserve.run("sql", "SELECT 1 FROM words");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("no table with typed columns");
    }

    @Test
    void anAnswerThatIsNoneOfRows() {
        names("SELECT 1 FROM orders", "orders");
        cluster.answer("SELECT 1 FROM orders", JSON, "{\"count\":1}");
        Run run = uniserve.run("sql", "SELECT 1 FROM orders");
        assertThat(run.exit()).isEqualTo(ExitCode.FAULT);
        assertThat(run.err()).contains("PORT_PROTOCOL");
    }
}
