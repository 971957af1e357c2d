package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.solr.core.SolrCore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Addition of fields to a schema: allowed changes, and answers equal to those of a plain core with the same change. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaChangeTest {
    private static final String ADDED = """
          <field name="price" type="pint"/>
          <field name="colour" type="string" multiValued="true"/>
          <field name="all" type="text_general" multiValued="true" indexed="true"/>
          <fieldType name="exact" class="solr.TextField"><analyzer><tokenizer name="keyword"/></analyzer></fieldType>
          <field name="code" type="exact"/>
          <dynamicField name="*_n" type="pint"/>
          <copyField source="title" dest="all"/>
        </schema>\
        """;

    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private Path directory;

    @BeforeAll
    void open(@TempDir Path root) {
        directory = root;
        instance = LocalTable.open(engine, directory);
    }

    @AfterAll
    void close() {
        instance.close();
    }

    private static String schema() {
        return PackedFilesCodec.readResource(SolrEngine.class, "schema.xml");
    }

    private TableMeta later(TableMeta meta, String schema) throws IOException {
        Path conf = Files.createTempDirectory(directory, "conf");
        Files.writeString(conf.resolve("managed-schema.xml"), schema);
        Map<String, String> options = new HashMap<>(meta.options());
        options.put(MutableOptions.mutableName("configset"), PackedFilesCodec.pack(conf, any -> true));
        return meta.with(options);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<field name=\"title\" .*?/> | | field \"title\" is removed",
                "name=\"title\" type=\"text_general\" | name=\"title\" type=\"string\" | field \"title\" is changed",
                "<dynamicField name=\"\\*_b\" type=\"boolean\"/> | | dynamicField \"*_b\" is removed",
                "solr.IntPointField | solr.LongPointField | fieldType \"pint\" is changed",
                "<filter name=\"porterStem\"/> | | fieldType \"text_en\" is changed",
                "<uniqueKey>id | <uniqueKey>title | uniqueKey",
                "version=\"1.6\" | version=\"1.5\" | is changed",
                "</schema> | <field name=\"a_s\" type=\"pint\"/></schema> | field \"a_s\" is new, but was",
                "</schema> | <dynamicField name=\"long_*\" type=\"pint\"/></schema> | dynamicField \"long_*\" is new,"
                        + " but was",
                "</schema> | <similarity class=\"solr.ClassicSimilarityFactory\"/></schema> | similarity",
                "</schema> | | configset",
                "</schema> | <field name=\"a\" type=\"nosuch\"/></schema> | nosuch",
                "</schema> | <copyField source=\"title\" dest=\"nosuch\"/></schema> | nosuch",
                "</schema> | <field name=\"ts\" type=\"pdate\" default=\"NOW/DAY\"/></schema> | default of field \"ts\"",
                "</schema> | <fieldType name=\"uuid\" class=\"solr.UUIDField\"/><field name=\"u\" type=\"uuid\" default=\"NEW\"/>"
                        + "</schema> | default of field \"u\"",
            })
    void whatIsNoAdditionIsRefusedByName(String what, String with, String named) {
        String replaced = schema().replaceFirst(what, with == null ? "" : with);
        assertThat(replaced).isNotEqualTo(schema());
        TableMeta before = LocalTable.meta(2);
        assertThatThrownBy(() -> engine.validateChange(before, later(before, replaced)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(named);
    }

    @Test
    void copiesOfAFieldMayNotGo() throws IOException {
        TableMeta first = LocalTable.meta(2);
        TableMeta second = later(first, schema().replace("</schema>", ADDED));
        engine.validateChange(first, second);
        String without = schema().replace("</schema>", ADDED.replaceFirst("<copyField.*?/>", ""));
        assertThatThrownBy(() -> engine.validateChange(second, later(second, without)))
                .hasMessageContaining("copyField")
                .hasMessageContaining("is removed");
    }

    @Test
    void planningByAnOldSchemaEndsWithItsLastQuery() throws IOException {
        TableMeta first = LocalTable.meta(2);
        TableMeta second = later(first, schema().replace("</schema>", ADDED));
        SolrCore old = engine.planning().with(first, core -> {
            boolean closed = engine.planning().with(second, SolrCore::isClosed);
            assertThat(closed || core.isClosed()).isFalse();
            return core;
        });
        assertThat(old.isClosed()).isTrue();
        assertThat(Path.of(old.getCoreDescriptor().getInstanceDir().toString())).doesNotExist();
        assertThat(engine.planning().with(second, SolrCore::isClosed)).isFalse();
    }

    private static List<Document> rows(int from, int to, boolean more) {
        List<Document> rows = new ArrayList<>();
        for (int i = from; i < to; i++) {
            Map<String, Object> fields = new HashMap<>(Map.of(
                    "id", "d" + i, "title", "a title of " + i % 5, "text", "some word " + i, "kind_s", "k" + i % 3));
            if (more) {
                fields.putAll(
                        Map.of("price", (long) (i % 11), "colour", List.of("red", "c" + i % 4), "code", "A " + i % 6));
            }
            rows.add(new Document("id", fields));
        }
        return rows;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&sort=price desc,id asc&rows=50&fl=*",
                "q=price:[3 TO 7]&rows=30&sort=id asc",
                "q=all:title&rows=200&sort=id asc&fl=id",
                "q=code:\"A 3\"&rows=5&sort=id asc&facet=true&facet.field=colour&facet.field=price&facet.mincount=1",
                "q=word&df=text&rows=3&fl=id,score&sort=score desc,id asc&distrib.statsCache=true&facet=true&facet.range=price&facet.range.start=0&facet.range.end=12&facet.range.gap=3",
                "q=*:*&rows=0&stats=true&stats.field=price",
                "q=*:*&rows=0&json.facet={c:{type:terms,field:colour,facet:{p:'avg(price)'}}}",
                "q=kind_s:k1&group=true&group.field=price&group.limit=2&sort=id asc",
            })
    void afterTheChangeAnswersAreThoseOfPlainSolr(String query) throws Exception {
        TableMeta first = LocalTable.meta(4);
        LocalTable split = new LocalTable(engine, instance, directory, first);
        LocalTable whole = new LocalTable(engine, instance, directory, LocalTable.meta(1));
        String schema = schema().replace("</schema>", ADDED);
        for (LocalTable table : List.of(split, whole)) {
            table.add(rows(0, 100, false));
            assertThatThrownBy(() -> table.add(rows(100, 101, true))).hasMessageContaining("not in the schema");
            table.change(later(table.meta(), schema));
            table.add(rows(100, 200, true));
            table.add(rows(40, 60, true));
        }
        try (PlainCore plain = PlainCore.of(directory, rows(0, 100, false))) {
            plain.change(schema);
            plain.add(rows(100, 200, true));
            plain.add(rows(40, 60, true));
            plain.optimize(); // exact statistics count live documents only
            String expected = plain.query(query);
            SingleCore.assertSame(query, expected, split.query(query));
            SingleCore.assertSame(query, expected, whole.query(0, query));
        }
    }
}
