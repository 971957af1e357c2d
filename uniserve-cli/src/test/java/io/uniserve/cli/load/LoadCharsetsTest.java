package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files with a byte order mark are loaded; of files in other charsets only rows that are UTF-8 are. */
class LoadCharsetsTest {
    private static final String MARK = "\ufeff";
    /** More rows than a reader decodes at once, so that an error could name an earlier line. */
    private static final int ROWS = 1_000;

    private static final int WRONG_ROW = 700;

    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @TempDir
    private Path directory;

    @BeforeEach
    void createTable() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "4");
    }

    private Run load(String format, byte[] bytes, String... more) throws IOException {
        String file = Files.write(directory.resolve("a." + format), bytes).toString();
        String[] words = Arrays.copyOf(new String[] {"load", "words", file}, 3 + more.length);
        System.arraycopy(more, 0, words, 3, more.length);
        return uniserve.run(words);
    }

    private static String rows(String format, int count) {
        StringBuilder rows = new StringBuilder();
        if (!format.equals("jsonl")) {
            rows.append(row(format, "id", "v"));
        }
        for (int i = 1; i <= count; i++) {
            rows.append(row(format, "k" + i, i == WRONG_ROW ? "Malm\u00f6" : "Oslo"));
        }
        return rows.toString();
    }

    private static String row(String format, String id, String value) {
        return switch (format) {
            case "csv" -> "\"" + id + "\"," + value + "\n";
            case "tsv" -> "\"" + id + "\"\t" + value + "\n";
            default -> "{\"id\":\"" + id + "\",\"v\":\"" + value + "\"}\n";
        };
    }

    private static int line(String format, int row) {
        return format.equals("jsonl") ? row : row + 1;
    }

    @ParameterizedTest
    @ValueSource(strings = {"jsonl", "csv", "tsv"})
    void aByteOrderMarkIsNoPartOfTheFirstRow(String format) throws IOException {
        Run run = load(format, (MARK + rows(format, 3)).getBytes(StandardCharsets.UTF_8));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(cluster.rows("words").values())
                .extracting(row -> row.fields().get("id"))
                .containsExactlyInAnyOrder("k1", "k2", "k3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jsonl", "csv", "tsv"})
    void aRowInAnotherCharsetIsNamedAndNotLoaded(String format) throws IOException {
        byte[] bytes = rows(format, ROWS).getBytes(StandardCharsets.ISO_8859_1);
        Run run = load(format, bytes, "--batch", "10");
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("a." + format + " line " + line(format, WRONG_ROW), "is not UTF-8");
        // A table without columns has the rows that were sent before, and the report has their number.
        assertThat(run.out()).startsWith(cluster.rows("words").size() + " rows loaded");
        Run passed = load(format, bytes, "--batch", "10", "--rejects-max", "1");
        assertThat(passed.out()).startsWith((ROWS - 1) + " rows loaded").contains("1 rejected");
        assertThat(cluster.rows("words")).hasSize(ROWS - 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"jsonl", "csv", "tsv"})
    void utf16IsRefused(String format) throws IOException {
        for (Charset charset : new Charset[] {StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE}) {
            Run marked = load(format, (MARK + rows(format, 3)).getBytes(charset), "--rejects-max", "100");
            assertThat(marked.exit()).isNotEqualTo(ExitCode.OK);
            assertThat(marked.err()).contains("a." + format + " line 1", "UTF-16", "convert the file to UTF-8");
            Run unmarked = load(format, rows(format, 3).getBytes(charset));
            assertThat(unmarked.exit()).isNotEqualTo(ExitCode.OK);
            assertThat(unmarked.err()).contains("a." + format);
        }
        assertThat(cluster.rows("words")).isEmpty();
    }
}
