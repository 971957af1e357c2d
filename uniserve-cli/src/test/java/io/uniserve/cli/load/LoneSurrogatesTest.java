package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files with lone surrogates and with invalid bytes: refused with their place, not stored as another text. */
class LoneSurrogatesTest {
    private final TestingClusterClient cluster = new TestingClusterClient();
    private final TestingConsole uniserve = new TestingConsole(bootstrap -> cluster);

    @TempDir
    private Path directory;

    @BeforeEach
    void createTable() {
        uniserve.run("table", "create", "words", "--engine", "kv", "--actors", "4");
    }

    private Run load(String name, byte[] bytes) throws IOException {
        String file = Files.write(directory.resolve(name), bytes).toString();
        String format = name.substring(name.indexOf('.') + 1);
        return uniserve.run("load", "words", file, "--format", format);
    }

    private void assertRefused(Run run, String... words) {
        assertThat(run.exit()).isNotEqualTo(ExitCode.OK);
        assertThat(run.out() + run.err()).contains(words);
        assertThat(cluster.rows("words")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '^',
            value = {
                "{\"id\":\"z\\ud800\",\"v\":1} ~ key field \"id\"",
                "{\"id\":\"a\",\"v\":\"\\udc00\"} ~ field \"v\"",
                "{\"id\":\"a\",\"v\":[\"\\ud83d\"]} ~ field \"v\"",
                "{\"id\":\"a\",\"v\":{\"w\":\"\\ude00\\ud83d\"}} ~ field \"w\"",
                "{\"id\":\"a\",\"\\ud800\":1} ~ name of a field"
            })
    void anEscapeOfHalfACharacterIsRefused(String row, String told) throws IOException {
        byte[] line = (row + "\n").getBytes(StandardCharsets.UTF_8);
        assertRefused(load("a.jsonl", line), "a.jsonl line 1", told, "lone surrogate");
        assertRefused(
                load("a.json", ("[" + row + "]").getBytes(StandardCharsets.UTF_8)),
                "a.json line 1",
                told,
                "lone surrogate");
    }

    @Test
    void wholeCharactersByEscapesAreLoaded() throws IOException {
        Run run = load("a.jsonl", "{\"id\":\"\\ud83d\\ude00\"}\n{\"id\":\"?\"}\n".getBytes(StandardCharsets.UTF_8));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(cluster.rows("words")).hasSize(2);
    }

    /** A surrogate's three bytes; a byte that starts no character; a truncated character. */
    @ParameterizedTest
    @CsvSource({"ed,a0,80", "ff,41,41", "e2,82,41"})
    void bytesThatAreNoUtf8AreRefused(String one, String two, String three) throws IOException {
        byte[] row = "{\"id\":\"abc\",\"v\":1}\n".getBytes(StandardCharsets.UTF_8);
        row[7] = (byte) Integer.parseInt(one, 16);
        row[8] = (byte) Integer.parseInt(two, 16);
        row[9] = (byte) Integer.parseInt(three, 16);
        assertRefused(load("a.jsonl", row), "a.jsonl");
        byte[] json = ("[" + new String(row, StandardCharsets.ISO_8859_1).strip() + "]")
                .getBytes(StandardCharsets.ISO_8859_1);
        assertRefused(load("a.json", json), "a.json");
        byte[] csv = "id,v\nabc,1\n".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(row, 7, csv, 5, 3);
        assertRefused(load("a.csv", csv), "a.csv");
        byte[] xml = "<add><doc><field name=\"id\">abc</field></doc></add>".getBytes(StandardCharsets.UTF_8);
        System.arraycopy(row, 7, xml, new String(xml, StandardCharsets.UTF_8).indexOf("abc"), 3);
        assertRefused(load("a.xml", xml), "a.xml");
    }
}
