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
    private static List<String> read(RowSources.Format format, String text) throws IOException {
        List<String> rows = new ArrayList<>();
        ByteArrayInputStream in = new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
        try (RowSource source = RowSources.open(in, "file", format, "id", Optional.empty())) {
            for (Optional<Document> row = source.next(); row.isPresent(); row = source.next()) {
                rows.add(source.command() + " " + row.get().fields());
            }
        }
        return rows;
    }

    @Test
    void anArrayOfDocuments() throws IOException {
        String text = "[{\"id\":\"1\",\"n\":{\"inc\":2}},\n {\"id\":\"2\",\"tags\":[\"a\",\"b\"]}]";
        assertThat(read(RowSources.Format.JSON, text))
                .containsExactly("ADD {id=1, n={inc=2}}", "ADD {id=2, tags=[a, b]}");
        assertThat(read(RowSources.Format.JSON, "[]")).isEmpty();
        assertThat(read(RowSources.Format.JSON, "")).isEmpty();
    }

    /** What is written otherwise than the number would be, as a zip code or a version, is a text. */
    @Test
    void numbersOfCsv() throws IOException {
        String text = "id,zip,v,n\n1,01234,1.10,5\n2,-0,1e5,-2.5\n3,9223372036854775808,00.5,-7\n";
        try (RowSource source = RowSources.open(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                "file",
                RowSources.Format.CSV,
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
        assertThat(read(RowSources.Format.JSON, text))
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

    @Test
    void xml() throws IOException {
        String text = """
                <update><add commitWithin="1"><doc><field name="id">1</field><field name="tag">a</field>
                <field name="tag">b &amp; c</field></doc>
                <doc><field name="id">2</field><field name="n" update="inc">3</field>
                <field name="x" update="set" null="true"/></doc></add>
                <delete><id>1</id><query>n:1</query></delete><commit/></update>""";
        assertThat(read(RowSources.Format.XML, text))
                .containsExactly(
                        "ADD {id=1, tag=[a, b & c]}",
                        "ADD {id=2, n={inc=3}, x={set=null}}",
                        "DELETE {id=1}",
                        "DELETE_QUERY {query=n:1}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "JSON | [{\"id\": | is not JSON",
                "JSON | {\"remove\":{}} | \"remove\" is not supported",
                "JSON | {\"add\":{\"id\":\"1\"}} | has no \"doc\"",
                "JSON | {\"delete\":{\"of\":1}} | neither",
                "JSON | [1] | where an object belongs",
                "XML | <add><doc><field>1</field></doc></add> | fields with a name",
                "XML | <add><doc><doc/></doc></add> | nested documents",
                "XML | <add><docs/></add> | <docs>",
                "XML | <rollback/> | <rollback>",
                "XML | <add><doc> | is not XML",
                "XML | <!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><add><doc><field name='id'>&x;</field></doc></add> | is not XML",
            })
    void whatIsNoUpdateIsRefused(RowSources.Format format, String text, String named) {
        assertThatThrownBy(() -> read(format, text))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(named);
    }
}
