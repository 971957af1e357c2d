package io.uniserve.cli.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Solr's own update formats. */
class UpdateFilesTest {
    private static List<String> read(RowSourceFactory.Format format, String text) throws IOException {
        List<String> rows = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        try (RowSource source = RowSourceFactory.open(in, "file", format, "id", Optional.empty())) {
            for (Optional<Document> row = source.next(); row.isPresent(); row = source.next()) {
                rows.add(source.command() + " " + row.get().fields());
            }
        }
        return rows;
    }

    @Test
    void anArrayOfDocuments() throws IOException {
        String text = "[{\"id\":\"1\",\"n\":{\"inc\":2}},\n {\"id\":\"2\",\"tags\":[\"a\",\"b\"]}]";
        assertThat(read(RowSourceFactory.Format.JSON, text))
                .containsExactly("ADD {id=1, n={inc=2}}", "ADD {id=2, tags=[a, b]}");
        assertThat(read(RowSourceFactory.Format.JSON, "[]")).isEmpty();
        assertThat(read(RowSourceFactory.Format.JSON, "")).isEmpty();
    }

    /** A value that differs from the number's own text form, such as a zip code or a version, is a text. */
    @Test
    void numbersOfCsv() throws IOException {
        String text = "id,zip,v,n\n1,01234,1.10,5\n2,-0,1e5,-2.5\n3,9223372036854775808,00.5,-7\n";
        try (RowSource source = RowSourceFactory.open(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                "file",
                RowSourceFactory.Format.CSV,
                "id",
                Optional.empty())) {
            assertThat(source.next().orElseThrow().fields())
                    .isEqualTo(Map.of("id", "1", "zip", "01234", "v", "1.10", "n", 5L));
            assertThat(source.next().orElseThrow().fields())
                    .isEqualTo(Map.of("id", "2", "zip", "-0", "v", "1e5", "n", -2.5));
            assertThat(source.next().orElseThrow().fields())
                    .isEqualTo(Map.of("id", "3", "zip", "9223372036854775808", "v", "00.5", "n", -7L));
        }
    }

    @Test
    void commandsInTheirOrder() throws IOException {
        String text = """
                {"add": {"doc": {"id": "1"}},
                 "add": {"doc": {"id": "2"}, "overwrite": true},
                 "delete": {"id": "1"},
                 "delete": ["3", "4"],
                 "delete": "5",
                 "delete": {"query": "n:1"},
                 "commit": {},
                 "add": {"doc": {"id": "6"}}}""";
        assertThat(read(RowSourceFactory.Format.JSON, text))
                .containsExactly(
                        "ADD {id=1}",
                        "ADD {id=2}",
                        "DELETE {id=1}",
                        "DELETE {id=3}",
                        "DELETE {id=4}",
                        "DELETE {id=5}",
                        "DELETE_QUERY {query=n:1}",
                        "ADD {id=6}");
    }

    /** Lists of documents and of deletions, and ids written as numbers, as in Solr. */
    @Test
    void listsInCommands() throws IOException {
        String text = """
                {"add": [{"id": "1"}, {"id": "2", "n": {"inc": 1}}],
                 "add": [],
                 "delete": 5,
                 "delete": {"id": 6},
                 "delete": [7, {"id": "8"}, {"query": "n:1"}, "9"],
                 "optimize": {"waitSearcher": false},
                 "add": [{"id": "10"}]}""";
        assertThat(read(RowSourceFactory.Format.JSON, text))
                .containsExactly(
                        "ADD {id=1}",
                        "ADD {id=2, n={inc=1}}",
                        "DELETE {id=5}",
                        "DELETE {id=6}",
                        "DELETE {id=7}",
                        "DELETE {id=8}",
                        "DELETE_QUERY {query=n:1}",
                        "DELETE {id=9}",
                        "OPTIMIZE {}",
                        "ADD {id=10}");
    }

    /** An invalid id is reported at its position; the other ids are read. */
    @Test
    void whatIsWrongInAListOfDeletionsIsPassedOverAlone() throws IOException {
        String text = """
                {"delete": ["1", null, {"id": ["2", [], "3"]}, {"query": 7}, {"id": "4", "query": "n:1"}, "5"],
                 "add": [{"id": "6"}]}""";
        List<String> rows = new ArrayList<>();
        try (RowSource source = RowSourceFactory.open(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                "file",
                RowSourceFactory.Format.JSON,
                "id",
                Optional.empty())) {
            for (boolean more = true; more; ) {
                try {
                    Optional<Document> row = source.next();
                    more = row.isPresent();
                    row.ifPresent(one ->
                            rows.add(source.command() + " " + one.fields().get("id")));
                } catch (UniserveException e) {
                    assertThat(e).hasMessageContaining("\"delete\"");
                    rows.add(e.code().toString());
                }
            }
        }
        String wrong = "INVALID_ROW";
        assertThat(rows)
                .containsExactly("DELETE 1", wrong, "DELETE 2", wrong, "DELETE 3", wrong, wrong, "DELETE 5", "ADD 6");
    }

    @Test
    void xml() throws IOException {
        String text = """
                <update><add commitWithin="1"><doc><field name="id">1</field><field name="tag">a</field>
                <field name="tag">b &amp; c</field></doc>
                <doc><field name="id">2</field><field name="n" update="inc">3</field>
                <field name="x" update="set" null="true"/><field name="y" null="true"/></doc></add>
                <delete><id>1</id><query>n:1</query></delete><commit/><optimize/></update>""";
        assertThat(read(RowSourceFactory.Format.XML, text))
                .containsExactly(
                        "ADD {id=1, tag=[a, b & c]}",
                        "ADD {id=2, n={inc=3}, x={set=null}}",
                        "DELETE {id=1}",
                        "DELETE_QUERY {query=n:1}",
                        "OPTIMIZE {}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "JSON | [{\"id\": | is not JSON",
                "JSON | {\"remove\":{}} | \"remove\" is not supported",
                "JSON | {\"add\":{\"id\":\"1\"}} | has no \"doc\"",
                "JSON | {\"delete\":{\"of\":1}} | \"of\" in \"delete\" is not supported",
                "JSON | {\"delete\":{}} | neither",
                "JSON | {\"delete\":{\"query\":\"n:1\",\"_version_\":7}} | \"_version_\"; give it a whole number, beside",
                "JSON | {\"delete\":{\"id\":\"1\",\"_version_\":true}} | \"_version_\"; give it a whole number, beside",
                "JSON | {\"delete\":{\"id\":\"1\",\"_route_\":\"a\"}} | \"_route_\" in \"delete\" is not supported",
                "JSON | {\"delete\":{\"id\":\"1\",\"query\":\"n:1\"}} | both \"id\" and \"query\"",
                "JSON | {\"add\":{\"doc\":{\"id\":\"1\"},\"boost\":2}} | \"boost\" in \"add\" is not supported",
                "JSON | {\"add\":{\"doc\":{\"id\":\"1\"},\"overwrite\":false}} | overwrite",
                "JSON | [{\"id\":\"1\",\"tag\":\"a\",\"tag\":\"b\"}] | Duplicate field 'tag'",
                "XML | <add><doc><field name='t' update='add'>a</field><field name='t'>b</field></doc></add> | several operations",
                "CSV | id,tag,tag | names a column twice",
                "CSV | id,,tag | file line 1: column 2 has no name",
                "JSON | {\"delete\":{\"id\":{\"a\":1}}} | \"delete\" has the id {\"a\":1}; give it a text",
                "JSON | {\"delete\":[[\"1\",\"2\"]]} | \"delete\" has the id [\"1\",\"2\"]",
                "JSON | {\"delete\":true} | \"delete\" has the id true",
                "JSON | {\"add\":[5]} | expected an object",
                "XML | <add><doc><field name='t' update='set'>d</field><field name='t' update='set' null='true'/></doc></add> | null beside a value",
                "XML | <delete id='1'/> | id=\"1\" of <delete> is not supported",
                "XML | <delete query='n:1'></delete> | query=\"n:1\" of <delete> is not supported",
                "XML | <delete/> | neither <id> nor <query>",
                "XML | <update><delete><id>1</id></delete><delete></delete></update> | neither <id> nor <query>",
                "XML | <delete>1</delete> | found text \"1\" outside",
                "XML | <delete><id version='7'>1</id></delete> | version=\"7\" of <id> is not supported",
                "XML | <add overwrite='false'><doc/></add> | overwrite=\"false\" of <add> is not supported",
                "XML | <add><doc boost='2'><field name='id'>1</field></doc></add> | boost=\"2\" of <doc> is not supported",
                "XML | <add><doc><field name='id' boost='2'>1</field></doc></add> | boost=\"2\" of <field> is not supported",
                "JSON | [1] | expected an object",
                "XML | <add><doc><field>1</field></doc></add> | fields with a name",
                "XML | <add><doc><doc/></doc></add> | nested documents",
                "XML | <add><docs/></add> | <docs>",
                "XML | <rollback/> | <rollback>",
                "XML | <add><doc> | is not XML",
                "XML | <!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><add><doc><field name='id'>&x;</field></doc></add> | is not XML",
            })
    void whatIsNoUpdateIsRefused(RowSourceFactory.Format format, String text, String named) {
        assertThatThrownBy(() -> read(format, text))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(named);
    }
}
