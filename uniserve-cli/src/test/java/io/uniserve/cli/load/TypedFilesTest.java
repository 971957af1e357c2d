package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.limit.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** CSV and .tbl files for a table with typed columns. */
class TypedFilesTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @TempDir
    private Path directory;

    @BeforeEach
    void createTable() {
        String columns = "columns=id bigint, name varchar, price decimal(15,2), day date, x double, ok boolean";
        uniserve.run("table", "create", "prices", "--engine", "kv", "--actors", "4", "-O", columns);
    }

    private Run load(String name, String text, String... more) throws IOException {
        return load(name, text.getBytes(StandardCharsets.UTF_8), more);
    }

    private Run load(String name, byte[] bytes, String... more) throws IOException {
        Path file = Files.write(directory.resolve(name), bytes);
        String[] words = new String[3 + more.length];
        words[0] = "load";
        words[1] = "prices";
        words[2] = file.toString();
        System.arraycopy(more, 0, words, 3, more.length);
        return uniserve.run(words);
    }

    @Test
    void valuesAreOfTheColumnsTypes() throws IOException {
        Run run = load(
                "a.csv",
                "\ufeffname,id,price,day,x,ok\n\"Smith, \"\"J\"\"\",7,12.50,1998-12-01,1e3,true\n12,8,,,,\n日本,9,3,,,\n");
        assertThat(run.err()).doesNotContain("INVALID");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.rows("prices").values())
                .extracting(row -> row.fields().toString())
                .containsExactlyInAnyOrder(
                        "{name=Smith, \"J\", id=7, price=12.50, day=1998-12-01, x=1000.0, ok=true}",
                        "{name=12, id=8}",
                        "{name=日本, id=9, price=3}");
        assertThat(cluster.rows("prices").values())
                .allSatisfy(row -> assertThat(row.fields().get("id")).isInstanceOf(Long.class));
    }

    private String state() {
        return cluster.rows("prices").toString() + cluster.changes();
    }

    @Test
    void barsWithAndWithoutTheLastOne() throws IOException {
        String rows = "1|one|0.10|1998-12-01|2|false|\n2|two|||| \n\n3|a, \"b\"||||\n";
        Run run = load("a.tbl", rows);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("a.tbl line 2, column 6 (ok): \" \" is no boolean", "nothing is loaded");
        assertThat(run.out()).startsWith("0 rows loaded").contains("1 rejected");
        assertThat(cluster.rows("prices")).isEmpty();
        Run passed = load("a.tbl", rows, "--rejects-max", "1");
        assertThat(passed.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(passed.out()).startsWith("2 rows loaded").contains("1 rejected");
        assertThat(cluster.rows("prices").values())
                .extracting(row -> row.fields().toString())
                .containsExactlyInAnyOrder(
                        "{id=1, name=one, price=0.10, day=1998-12-01, x=2.0, ok=false}", "{id=3, name=a, \"b\"}");
        assertThat(load("b.tbl.1", "4|four|||||\n").exit()).isEqualTo(ExitCode.OK);
    }

    /** Each file starts with enough valid rows for batches that would be sent before the invalid one is read. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '\t',
            quoteCharacter = '`',
            value = {
                "csv\t9,b,1.234,\tline 12, column 3 (price): \"1.234\" is no decimal(15,2)",
                "csv\tx,b,1,\tline 12, column 1 (id): \"x\" is no bigint",
                "csv\t,b,1,\tline 12, column 1 (id): is empty; it is part of the primary key",
                "csv\t9,b,1,1998-02-31\tline 12, column 4 (day): \"1998-02-31\" is no date",
                "csv\t9,b,1\tline 12, column 4 (day): 3 values for 4 columns",
                "csv\t9,b,1,,\tline 12, column 5: 5 values for 4 columns",
                "csv\t9223372036854775808,f,1,\tline 12, column 1 (id): \"9223372036854775808\" is no bigint",
                "csv\t9,\"b,1,\tline 12, column 2 (name): is not CSV: the quote that opens the value is never closed",
                "csv\t9,\"b\" c,1,\tline 12, column 2 (name): is not CSV: text follows the quote",
                "csv\t9,\u00ff,1,\tline 12, column 2 (name): is not UTF-8",
                "tbl\t9|b|1.234||||\tline 12, column 3 (price): \"1.234\" is no decimal(15,2)",
                "tbl\t|b|1||||\tline 12, column 1 (id): is empty; it is part of the primary key",
                "tbl\t9|b|1\tline 12, column 4 (day): 3 values for 6 columns",
                "tbl\t9|b|1|||||7\tline 12, column 7: 8 values for 6 columns",
                "tbl\t9|b|\u00ff||||\tline 12, column 3 (price): is not UTF-8",
                "jsonl\t{\"id\":9,\"price\":\"1.234\"}\tline 12: row 9: field \"price\"",
                "jsonl\t{\"id\":9,\"colour\":1}\tline 12: row 9: field \"colour\" is no column",
                "jsonl\t{\"name\":\"b\"}\tline 12: document's key field \"id\" is missing",
                "jsonl\t{\"id\":\tline 12: is not JSON"
            })
    void ofAFileWithAWrongRowNothingIsLoaded(String format, String wrong, String place) throws IOException {
        assertThat(load("before.tbl", "77|kept|||||\n").exit()).isEqualTo(ExitCode.OK);
        String before = state();
        String right = switch (format) {
            case "csv" -> "%d,a,1,1998-12-01\n";
            case "tbl" -> "%d|a|1|1998-12-01|||\n";
            default -> "{\"id\":%d,\"name\":\"a\"}\n";
        };
        StringBuilder rows = new StringBuilder(format.equals("csv") ? "id,name,price,day\n" : "{\"id\":1}\n");
        if (format.equals("tbl")) {
            rows = new StringBuilder("1|a|||||\n");
        }
        for (int i = 0; i < 20; i++) {
            rows.append(i == 10 ? wrong + "\n" : right.formatted(100 + i));
        }
        byte[] bytes = rows.toString().getBytes(StandardCharsets.ISO_8859_1);
        for (String batch : List.of("1", "5", "100")) {
            Run run = load("a." + format, bytes, "--batch", batch);
            assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(run.err()).contains("a." + format + " " + place);
            assertThat(run.out()).startsWith("0 rows loaded");
            assertThat(state()).isEqualTo(before);
        }
        String input = rows.toString();
        if (!place.contains("UTF-8")) {
            Run piped = uniserve.input(input).run("load", "prices", "-", "--format", format, "--batch", "1");
            assertThat(piped.exit()).isEqualTo(ExitCode.REFUSED);
            assertThat(piped.err()).contains("standard input " + place);
            assertThat(state()).isEqualTo(before);
        }
    }

    /** The second of two files is read before the first is loaded. */
    @Test
    void aLaterFileIsCheckedBeforeTheFirstIsLoaded() throws IOException {
        Path right = Files.writeString(directory.resolve("right.tbl"), "1|a|||||\n");
        Path wrong = Files.writeString(directory.resolve("wrong.csv"), "id,nosuch\n1,a\n");
        Run run = uniserve.run("load", "prices", right.toString(), wrong.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("wrong.csv line 1, column 2: \"nosuch\" is no column of the table");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    @Test
    void bothPassesAreShownAndAPipeIsKeptForTheSecond() throws IOException {
        String rows = "1|a|||||\n2|b|||||\n";
        Run run = load("a.tbl", rows);
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.err()).containsSubsequence("check prices [", "100% 2 rows", "load prices [", "100% 2 rows");
        Run piped = uniserve.input(rows).run("load", "prices", "-", "--format", "tbl");
        assertThat(piped.exit()).as(piped.err()).isEqualTo(ExitCode.OK);
        assertThat(piped.out()).startsWith("2 rows loaded");
        assertThat(piped.err()).isEmpty();
    }

    /** The rest of the file is not kept in memory. */
    @Test
    void aQuoteThatIsOpenForLongerThanARowIsTold() {
        CsvQuoteTracker watch =
                new CsvQuoteTracker(new StringReader("id,name\n1,\"" + "x\n".repeat(Limits.ROW_TEXT_CHARS_MAX)));
        char[] some = new char[8_192];
        long[] read = new long[1];
        assertThatThrownBy(() -> {
                    for (int n = watch.read(some); n >= 0; n = watch.read(some)) {
                        read[0] += n;
                    }
                })
                .isInstanceOf(CsvQuoteTracker.TooLong.class);
        assertThat(read[0]).isLessThan(Limits.ROW_TEXT_CHARS_MAX + 2L * some.length);
        assertThat(watch.malformedOrOpen()).contains(new CsvQuoteTracker.QuotePosition(2, 2, false));
    }

    @Test
    void aFileThatWasChangedAfterItWasCheckedIsTold() throws IOException {
        Path file = Files.writeString(directory.resolve("a.tbl"), "1|a|||||\n");
        try (LoadInputFiles files = new LoadInputFiles(List.of(file.toString()), null, InputStream.nullInputStream())) {
            files.copyUnrepeatable();
            files.checkUnchanged(0);
            Files.writeString(file, "x|a|||||\n", StandardOpenOption.APPEND);
            assertThatThrownBy(() -> files.checkUnchanged(0))
                    .hasMessageContaining("a.tbl was changed after it was checked");
        }
    }

    @Test
    void aCheckThatIsEndedByAFileSaysThatNothingIsLoaded() throws IOException {
        Path wrong = Files.writeString(directory.resolve("a.csv"), "id,name\n1,a\nx,b\n");
        Path open = Files.writeString(directory.resolve("b.csv"), "id,name\n1,\"a\n");
        Run run = uniserve.run("load", "prices", wrong.toString(), open.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .contains("a.csv line 3", "nothing is loaded", "b.csv line 2, column 2 (name): is not CSV");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    /** Commands for all actors have no key; a port without such an update is not called. */
    @Test
    void whatIsForAllActorsIsNoWrongRow() throws IOException {
        Run run = load("a.json", "{\"optimize\":{}}", "--format", "json");
        assertThat(run.exit()).as(run.err()).isZero();
        assertThat(run.out()).startsWith("0 rows loaded");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    /** Operations that the port or the given function does not support are reported before the first row is loaded. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.json | {\"add\":[{\"id\":1},{\"id\":2}],\"delete\":{\"query\":\"x\"}} | ",
                "a.json | {\"add\":[{\"id\":1},{\"id\":2}],\"delete\":[3]} | kv.put@1",
                "a.xml | <update><add><doc><field name='id'>1</field></doc></add><delete><id>3</id></delete></update> | kv.put@1"
            })
    void commandsWithoutAFunctionAreToldBeforeTheFirstRow(String name, String text, @Nullable String function)
            throws IOException {
        String format = name.substring(2);
        Run run = function == null
                ? load(name, text, "--format", format, "--batch", "1")
                : load(name, text, "--format", format, "--batch", "1", "--update", function);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("port kv has no update function for the deletions", "nothing is loaded");
        assertThat(run.out()).startsWith("0 rows loaded");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    @Test
    void ofManyWrongRowsTheFirstAreTold() throws IOException {
        Run run = load("a.tbl", "1|a|||||\n" + "x|a|||||\n".repeat(500));
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.out()).startsWith("0 rows loaded").contains("101 rejected");
        assertThat(run.err()).contains("more than 100 rows are wrong");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    @Test
    void whatIsWrongIsPassedOverWhereThatIsAskedFor() throws IOException {
        Run run = load("a.csv", """
                id,name,price,day
                1,a,1.234,1998-12-01
                x,b,1,1998-12-01
                3,c,1,1998-02-31
                4,d,1
                5,e,1,1998-12-01
                9223372036854775808,f,1,
                """, "--rejects-max", "10");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .contains("a.csv line 2, column 3 (price): \"1.234\" is no decimal(15,2)")
                .contains("a.csv line 3, column 1 (id): \"x\" is no bigint")
                .contains("a.csv line 4, column 4 (day): \"1998-02-31\" is no date")
                .contains("a.csv line 5, column 4 (day): 3 values for 4 columns")
                .contains("a.csv line 7, column 1 (id): \"9223372036854775808\" is no bigint");
        assertThat(run.out()).startsWith("1 rows loaded").contains("5 rejected");
        assertThat(cluster.rows("prices")).hasSize(1);
    }

    @Test
    void aHeaderThatIsNotOfTheTableLoadsNothing() throws IOException {
        Run unknown = load("a.csv", "id,colour\n1,red\n");
        assertThat(unknown.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(unknown.err()).contains("a.csv line 1, column 2: \"colour\" is no column of the table");
        assertThat(load("b.csv", "name\nx\n").err())
                .contains("b.csv line 1: column \"id\" is missing; it is part of the primary key");
        assertThat(cluster.rows("prices")).isEmpty();
    }

    @Test
    void anOpenQuoteEndsALoadThatIsNotChecked() throws IOException {
        Run run = load("a.csv", "id,name\n1,a\n2,\"b\n3,c\n", "--batch", "1", "--rejects-max", "0");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("INVALID_ARGUMENT", "a.csv line 3, column 2 (name): is not CSV");
        assertThat(run.out()).startsWith("1 rows loaded");
        assertThat(cluster.rows("prices")).hasSize(1);
        Run header = load("b.csv", "id,\"name\n1,a\n");
        assertThat(header.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(header.err()).contains("b.csv line 1, column 2: is not CSV");
    }

    @Test
    void barsNeedATableWithColumns() throws IOException {
        uniserve.run("table", "create", "words", "--engine", "kv");
        Path file = Files.writeString(directory.resolve("a.tbl"), "1|x|\n");
        Run run = uniserve.run("load", "words", file.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("format tbl has no names of fields");
    }
}
