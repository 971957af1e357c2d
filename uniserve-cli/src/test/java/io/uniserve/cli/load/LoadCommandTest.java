package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.ErrorCode;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoadCommandTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @TempDir
    private Path directory;

    @BeforeEach
    void createTable() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "4");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    @Test
    void jsonLinesWithTheDefaultUpdateOfThePort() throws IOException {
        Run run = uniserve.run("load", "words", file("a.jsonl", "{\"id\":\"a\",\"n\":1}\n\n{\"id\":\"b\"}\n"));
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).startsWith("2 rows loaded into words in ").contains("0 rejected, 0 not acknowledged");
        assertThat(cluster.rows("words")).hasSize(2);
        assertThat(cluster.changes()).containsExactly("create words", "kv.put@1 2 ISR");
    }

    @Test
    void csvTextAndGzip() throws IOException {
        String csv = file("a.csv", "id,n\nx,1\ny,2.5\n");
        Path packed = directory.resolve("b.txt.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
            out.write("first line\nsecond line\n".getBytes(StandardCharsets.UTF_8));
        }
        Run run = uniserve.run("load", "words", csv, packed.toString(), "--batch", "1", "--ack", "primary");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.rows("words")).hasSize(4);
        assertThat(cluster.changes()).contains("kv.put@1 1 PRIMARY");
        assertThat(run.err()).contains("load words [", "100% 4 rows");
    }

    @Test
    void textsAreSplitIntoLists() throws IOException {
        String csv = file("a.csv", "id,tags,n\nx,red;7;;light blue,1\ny,,2\nz;1,one,3\n");
        Run run = uniserve.run("load", "words", csv, "--split", "tags=;");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.rows("words").values().stream()
                        .map(row -> row.fields().get("tags")))
                .containsExactlyInAnyOrder(List.of("red", 7L, "light blue"), null, List.of("one"));
        Run key = uniserve.run("load", "words", csv, "--split", "id=;");
        assertThat(key.exit()).isEqualTo(ExitCode.of(ErrorCode.INVALID_ARGUMENT));
        assertThat(key.err()).contains("--split id=;: the key field has one value");
    }

    @Test
    void deletionsAreToldApartFromRows() throws IOException {
        String text = "{\"add\":{\"doc\":{\"id\":\"a\"}},\"delete\":[\"b\",\"c\"]}";
        Run both = uniserve.run("load", "words", file("a.json", text), "--format", "json");
        assertThat(both.out()).startsWith("1 rows loaded into words, 2 deletions done in words in ");
        Run alone = uniserve.run("load", "words", file("b.jsonl", "{\"id\":\"a\"}"), "--update", "kv.delete@1");
        assertThat(alone.out()).startsWith("1 deletions done in words in ");
    }

    @Test
    void deletionsInTheirOrderAndThoseThatThePortHasNot() throws IOException {
        String text = "{\"add\":{\"doc\":{\"id\":\"a\"}},\"delete\":\"b\",\"add\":{\"doc\":{\"id\":\"c\"}}}";
        Run run = uniserve.run("load", "words", file("a.json", text), "--format", "json");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.changes())
                .containsExactly("create words", "kv.put@1 1 ISR", "kv.delete@1 1 ISR", "kv.put@1 1 ISR");
        Run query = uniserve.run("load", "words", file("b.xml", "<delete><query>n:1</query></delete>"));
        assertThat(query.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(query.err()).contains("has no update function for the deletions");
    }

    /** Such a command would reach only the actor of the row's key. */
    @Test
    void rowsAreNotDeletedByAQueryOfEach() {
        Run run = uniserve.input("{\"id\":\"a\",\"query\":\"n:1\"}\n")
                .run("load", "words", "-", "--format", "jsonl", "--update", "kv.delete-query@1");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("kv.delete-query@1");
        assertThat(cluster.changes()).noneMatch(change -> change.contains("delete-query"));
    }

    @Test
    void standardInput() {
        Run run = uniserve.input("{\"id\":\"a\"}\n{\"id\":\"b\"}\n")
                .run("load", "words", "-", "--format", "jsonl", "--update", "kv.delete@1");
        assertThat(run.exit()).isEqualTo(ExitCode.OK);
        assertThat(cluster.changes()).contains("kv.delete@1 2 ISR");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void malformedRowsAreToldWithTheirLinesAndPassedOver() throws IOException {
        String rows = """
                {"id":"a"}
                {"id":
                {"n":1}
                [1]
                {"id":"b","id":"c"}
                {"id":"d","n":99999999999999999999}
                {"id":"e"}
                """;
        Run run = uniserve.run("load", "words", file("a.jsonl", rows));
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(cluster.rows("words")).hasSize(2);
        assertThat(run.err())
                .contains("a.jsonl line 2: is not JSON", "a.jsonl line 3: document's key field \"id\" is missing")
                .contains("a.jsonl line 4: is not a JSON object", "a.jsonl line 5: ", "a.jsonl line 6: field \"n\"");
        assertThat(run.out()).startsWith("2 rows loaded").contains("5 rejected");
    }

    @Test
    void aCsvRowOfTheWrongLengthIsToldWithItsLine() throws IOException {
        Run run = uniserve.run("load", "words", file("a.csv", "id,n\na,1\nb\nc,3,4\nd,4\n"));
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err())
                .contains(
                        "a.csv line 3, column 2 (n): 1 values for 2 columns",
                        "a.csv line 4, column 3: 3 values for 2 columns");
        assertThat(cluster.rows("words")).hasSize(2);
    }

    /** Each further update would delete rows of the one before. */
    @Test
    void aReplacementIsOneUpdateOrNone() throws IOException {
        String two = file("a.jsonl", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n");
        Run fits = uniserve.run("load", "words", two, "--update", "kv.replace@1", "--batch", "2");
        assertThat(fits.exit()).isZero();
        assertThat(cluster.changes()).last().isEqualTo("kv.replace@1 2 ISR");
        int before = cluster.changes().size();
        Run large = uniserve.run("load", "words", two, "--update", "kv.replace@1", "--batch", "1");
        assertThat(large.exit()).isEqualTo(3);
        assertThat(large.err()).contains("kv.replace@1", "at most --batch rows (now 1)", "nothing was loaded");
        assertThat(cluster.changes()).hasSize(before);
        Run several = uniserve.run("load", "words", two, two, "--update", "kv.replace@1");
        assertThat(several.exit()).isEqualTo(3);
        assertThat(several.err()).contains("load one file", "the file before was loaded");
        assertThat(cluster.changes()).hasSize(before + 1);
    }

    @Test
    void aRowThatThePortRefusesIsFoundByHalving() throws IOException {
        StringBuilder rows = new StringBuilder();
        for (int i = 1; i <= 200; i++) {
            rows.append("{\"id\":\"k").append(i).append(i == 77 || i == 150 ? "\",\"bad\":1}\n" : "\"}\n");
        }
        Run run = uniserve.run("load", "words", file("a.jsonl", rows.toString()), "-o", "json");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(cluster.rows("words")).hasSize(198);
        assertThat(run.err()).contains("INVALID_ROW", "a.jsonl line 77: field", "a.jsonl line 150: field");
        assertThat(run.out()).contains("\"rows\":198", "\"rejected\":2", "\"failed\":0", "\"line\":77", "\"line\":150");
        assertThat(cluster.changes().size()).isLessThan(60);
    }

    /** An atomic update fails as a whole, even if an actor's only row of it is valid. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 20})
    void ofAnAtomicTableOnlyBadRowsAreRejected(int bad) throws IOException {
        uniserve.run("table", "create", "atomic", "--engine", "kv", "--level", "serializable");
        StringBuilder rows = new StringBuilder();
        for (int i = 1; i <= 20; i++) {
            rows.append("{\"id\":\"r").append(i).append(i % 20 < bad ? "\",\"bad\":1}\n" : "\"}\n");
        }
        Run run = uniserve.run("load", "atomic", file("a.jsonl", rows.toString()), "--rejects-max", "20");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.out()).contains((20 - bad) + " rows loaded", bad + " rejected, 0 not acknowledged");
        assertThat(cluster.rows("atomic")).hasSize(20 - bad);
        assertThat(run.err()).contains("INVALID_ROW: ", "a.jsonl line 20: field \"bad\"");
    }

    @Test
    void tooManyRejectedRowsEndTheLoad() throws IOException {
        Run run = uniserve.run("load", "words", file("a.jsonl", "x\n".repeat(500)), "--rejects-max", "10");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.out()).contains("0 rows loaded", "11 rejected");
        assertThat(run.err()).contains("more than 10 rows were rejected");
    }

    @Test
    void anActorThatDoesNotAcknowledgeEndsTheLoadAndTheOthersCount() throws IOException {
        cluster.fail(2, ErrorCode.NOT_ENOUGH_REPLICAS);
        StringBuilder rows = new StringBuilder();
        for (int i = 1; i <= 300; i++) {
            rows.append("{\"id\":\"k").append(i).append("\"}\n");
        }
        Run run = uniserve.run("load", "words", file("a.jsonl", rows.toString()), "--batch", "100", "-o", "json");
        assertThat(run.exit()).isEqualTo(ExitCode.UNAVAILABLE);
        assertThat(run.err()).contains("NOT_ENOUGH_REPLICAS: ", "rows of actor 2 were not acknowledged", "lines ");
        assertThat(run.out()).contains("\"actor\":2", "\"code\":\"NOT_ENOUGH_REPLICAS\"");
        assertThat(cluster.rows("words").size()).isBetween(1, 99);
        assertThat(cluster.changes()).hasSize(2);
    }

    @Test
    void aRangeTableReadsNumbersAsKeysFromCsv() throws IOException {
        uniserve.run("table", "create", "events", "--engine", "kv", "--range-bounds", "10");
        Run run = uniserve.run("load", "events", file("a.csv", "id,n\n5,1\n50,2\n-9223372036854775808,3\nx,4\n"));
        assertThat(run.out()).startsWith("2 rows loaded");
        assertThat(run.err())
                .contains("line 4: a range table's key must be a whole number", "line 5: a range table's key");
    }

    @Test
    void filesThatCannotBeReadAreRefusedBeforeTheFirstRow() throws IOException {
        String good = file("a.jsonl", "{\"id\":\"a\"}\n");
        assertThat(uniserve.run("load", "words", good, directory + "/none.jsonl")
                        .err())
                .startsWith("uniserve: INVALID_ARGUMENT: cannot read file");
        assertThat(uniserve.run("load", "words", good, directory.toString(), "--format", "csv")
                        .exit())
                .isEqualTo(ExitCode.REFUSED);
        assertThat(uniserve.run("load", "words", good, file("b.dat", "x")).err())
                .contains("--format");
        assertThat(cluster.rows("words")).isEmpty();
    }

    @Test
    void bytesThatAreNotTextEndTheLoad() throws IOException {
        Path file = directory.resolve("a.txt");
        Files.write(file, new byte[] {'a', '\n', (byte) 0xff, (byte) 0xfe, '\n', 'b', '\n'});
        Run run = uniserve.run("load", "words", file.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("INVALID_ROW", "a.txt line 2", "UTF-8");
        Files.writeString(directory.resolve("b.jsonl.gz"), "not packed");
        assertThat(uniserve.run("load", "words", directory + "/b.jsonl.gz").err())
                .contains("cannot read");
    }

    @Test
    void aCsvFileWithoutTheKeyColumnIsRefused() throws IOException {
        Run run = uniserve.run("load", "words", file("a.csv", "key,n\na,1\n"));
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("has no column \"id\"", "[key, n]");
    }
}
