package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Solr's {@code _version_}: conditions of documents and of deletions, and deletions by id in tables with another key field. */
final class DocumentVersionFieldTest {
    private final SolrEngine engine = new SolrEngine();

    @TempDir
    Path directory;

    private EngineInstance instance;
    private LocalTable table;

    @BeforeEach
    void open() {
        instance = LocalTable.open(engine, directory);
        table = new LocalTable(engine, instance, directory, 3);
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private static Document doc(String id, Object... more) {
        return row("id", id, more);
    }

    private static Document row(String key, String id, Object... more) {
        Map<String, Object> fields = new LinkedHashMap<>(Map.of("id", id));
        for (int i = 0; i < more.length; i += 2) {
            fields.put(String.valueOf(more[i]), more[i + 1]);
        }
        return new Document(key, fields);
    }

    private void add(Document... rows) {
        table.add(List.of(rows));
    }

    private void conflicts(EventualUpdate<SolrActor, Document> update, Document... rows) {
        SolrActor actor = table.actor(table.meta().partitioner().actorOf(rows[0].partitionKey()));
        assertThatThrownBy(() -> update.validate(actor, List.of(rows)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
                .hasMessageContaining(
                        "version conflict for \"" + rows[0].fields().get("id") + "\"");
    }

    private long version(String id) {
        String answer = table.query("q=id:" + id + "&fl=_version_");
        Matcher version = Pattern.compile("\"_version_\":(\\d+)").matcher(answer);
        assertThat(version.find()).as(answer).isTrue();
        return Long.parseLong(version.group(1));
    }

    @Test
    void conditionsHoldAsInSolr() {
        add(doc("a", "n_i", 1L, "_version_", -1L));
        long first = version("a");
        assertThat(first).isGreaterThan(1);
        conflicts(SolrUpdateFunctions.ADD, doc("a", "_version_", -1L));
        conflicts(SolrUpdateFunctions.ADD, doc("a", "_version_", first + 1));
        conflicts(SolrUpdateFunctions.ADD, doc("b", "_version_", 1L));
        conflicts(SolrUpdateFunctions.ADD, doc("b", "_version_", first));
        add(doc("a", "n_i", Map.of("inc", 4L), "_version_", first));
        long second = version("a");
        assertThat(second).isGreaterThan(first);
        conflicts(SolrUpdateFunctions.ADD, doc("a", "n_i", Map.of("inc", 4L), "_version_", first));
        add(doc("a", "n_i", Map.of("inc", 4L), "_version_", "1"), doc("b", "_version_", 0L));
        assertThat(table.query("q=id:a")).contains("\"n_i\":9").doesNotContain("_version_");
        conflicts(SolrUpdateFunctions.DELETE, doc("a", "_version_", second));
        table.delete(List.of(doc("a", "_version_", version("a"))));
        conflicts(SolrUpdateFunctions.DELETE, doc("a", "_version_", 1L));
        add(doc("a", "_version_", -1L));
    }

    @Test
    void rowsOfOneUpdateMeetWhatThoseBeforeHaveLeft() {
        conflicts(SolrUpdateFunctions.ADD, doc("a", "_version_", -1L), doc("a", "_version_", -1L));
        add(doc("a", "n_i", 1L, "_version_", -1L), doc("a", "n_i", Map.of("inc", 1L), "_version_", 1L));
        assertThat(table.query("q=id:a")).contains("\"n_i\":2");
        long held = version("a");
        conflicts(SolrUpdateFunctions.ADD, doc("a", "_version_", held), doc("a", "_version_", held));
    }

    @Test
    void versionsOutliveARestartAndAreTheSameInEachCopy() {
        add(doc("a"), doc("b"), doc("c"));
        long held = version("a");
        for (int actor = 0; actor < 3; actor++) {
            byte[] before = table.actor(actor).digest();
            table.restart(actor);
            assertThat(table.actor(actor).digest()).isEqualTo(before);
        }
        assertThat(version("a")).isEqualTo(held);
        add(doc("a", "_version_", held));
    }

    @Test
    void schemasWithoutTheFieldRefuseIt() throws IOException {
        String schema = """
            <schema name="bare" version="1.6"><uniqueKey>id</uniqueKey>
              <fieldType name="string" class="solr.StrField" docValues="true"/>
              <field name="id" type="string" required="true"/></schema>
            """;
        LocalTable bare = new LocalTable(
                engine, instance, directory, LocalTable.meta(1, "id", Map.of("configset", packed(schema))));
        bare.add(List.of(doc("a")));
        assertThatThrownBy(() -> SolrUpdateFunctions.ADD.validate(bare.actor(0), List.of(doc("a", "_version_", 1L))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining("add it to the configset");
    }

    private String packed(String schema) throws IOException {
        Path conf = LocalTable.fresh(directory);
        PlainCore.write(conf, Map.of("schema.xml", schema));
        return PackedFilesCodec.pack(conf, any -> true);
    }

    @Test
    void deletionsByIdAskEveryActorWhereAnotherFieldIsTheKey() {
        LocalTable shops = new LocalTable(engine, instance, directory, LocalTable.meta(5, "shop_s", Map.of()));
        for (int i = 0; i < 10; i++) {
            shops.add(List.of(row("shop_s", "o" + i, "shop_s", "shop" + i)));
        }
        Document elsewhere = row("shop_s", "o3", "shop_s", "shop4");
        SolrActor other = shops.actor(shops.meta().partitioner().actorOf(elsewhere.partitionKey()));
        boolean same = shops.meta()
                        .partitioner()
                        .actorOf(row("shop_s", "o3", "shop_s", "shop3").partitionKey())
                == shops.meta().partitioner().actorOf(elsewhere.partitionKey());
        assertThat(same).as("o3 is in another actor").isFalse();
        assertThatThrownBy(() -> SolrUpdateFunctions.DELETE.validate(other, List.of(elsewhere)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining("document \"o3\" is not under shop_s \"shop4\"")
                .hasMessageContaining("solr.delete-id@1");
        shops.delete(List.of(row("shop_s", "o2", "shop_s", "shop2")));
        for (int actor = 0; actor < 5; actor++) {
            SolrUpdateFunctions.DELETE_ID.validate(shops.actor(actor), List.of(row("shop_s", "o3")));
            SolrUpdateFunctions.DELETE_ID.update(
                    shops.actor(actor), new UpdateContext(100), List.of(row("shop_s", "o3")));
            shops.actor(actor).publish();
        }
        assertThat(shops.query("q=*:*&rows=20&sort=id asc&fl=id"))
                .contains("\"numFound\":8")
                .doesNotContain("o3");
        assertThatThrownBy(() ->
                        SolrUpdateFunctions.DELETE_ID.validate(other, List.of(row("shop_s", "o3", "_version_", 7L))))
                .hasMessageContaining("cannot depend on _version_");
    }
}
