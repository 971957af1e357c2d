package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.EventualUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Two-phase updates of an atomic table's actor. The port contract's tests are in the test kit. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AtomicUpdatesTest {
    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private Path directory;
    private long index;

    @BeforeAll
    void open(@TempDir Path root) {
        directory = root;
        instance = LocalTable.open(engine, directory);
    }

    @AfterAll
    void close() {
        instance.close();
    }

    private LocalTable table(Map<String, String> options) {
        TableMeta m = LocalTable.meta(1, "id", options);
        TableMeta atomic = new TableMeta(
                m.name(),
                m.tableId(),
                m.partitioner(),
                m.keyField(),
                ConsistencyLevel.FULLY_SERIALIZABLE,
                m.rf(),
                m.minIsr(),
                m.onLoss(),
                m.port(),
                m.options());
        engine.validate(atomic);
        return new LocalTable(engine, instance, directory, atomic);
    }

    private static Document row(String id, Map<String, Object> fields) {
        Map<String, Object> all = new HashMap<>(fields);
        all.put("id", id);
        return new Document("id", all);
    }

    private static Document delete(String query) {
        return new Document("query", Map.of("query", query));
    }

    private Prepared prepare(SolrActor actor, EventualUpdate<SolrActor, Document> function, Document... rows) {
        AtomicUpdate<SolrActor, Document> atomic =
                AtomicUpdate.of(function, actor).orElseThrow();
        atomic.validate(actor, List.of(rows));
        return atomic.prepare(actor, new UpdateContext(++index), List.of(rows));
    }

    private static void commit(SolrActor actor, Prepared... parts) {
        actor.stage();
        for (Prepared part : parts) {
            part.commit();
        }
        actor.publish();
    }

    private void add(SolrActor actor, Document... rows) {
        commit(actor, prepare(actor, SolrUpdateFunctions.ADD, rows));
    }

    private static String all(SolrActor actor) {
        return SingleCore.query(actor, "q=*:*&sort=id asc&fl=*&rows=100");
    }

    @Test
    void changesOfFieldsSeeWhatIsPreparedBeforeThem() {
        SolrActor actor = table(Map.of()).actor(0);
        add(actor, row("a", Map.of("n_i", 1L, "text", "stays")));
        String before = all(actor);
        Prepared first = prepare(
                actor,
                SolrUpdateFunctions.ADD,
                row("a", Map.of("n_i", Map.of("inc", 5L))),
                row("a", Map.of("n_i", Map.of("inc", 2L))),
                row("b", Map.of("n_i", 7L)));
        Prepared second = prepare(actor, SolrUpdateFunctions.ADD, row("b", Map.of("n_i", Map.of("inc", 1L))));
        assertThat(all(actor)).isEqualTo(before);
        commit(actor, first, second);
        assertThat(all(actor)).contains("\"n_i\":8", "\"stays\"").doesNotContain("\"n_i\":7");
        assertThat(SingleCore.found(SingleCore.query(actor, "q=n_i:8"))).isEqualTo(2);
    }

    private static int segments(SolrActor actor) {
        return actor.withRequest(
                "count",
                request -> request.getSearcher().getIndexReader().leaves().size());
    }

    /** Prepared in a version of an atomic table with other updates; an abort undoes everything. */
    @Test
    void optimizeMergesToOneSegment() {
        SolrActor actor = table(Map.of()).actor(0);
        add(actor, row("a", Map.of("n_i", 1L)));
        add(actor, row("b", Map.of("n_i", 2L)));
        add(actor, row("c", Map.of("n_i", 3L)));
        String before = all(actor);
        assertThat(segments(actor)).isEqualTo(3);
        prepare(actor, SolrUpdateFunctions.OPTIMIZE, row("x", Map.of())).abort();
        actor.revoke();
        assertThat(segments(actor)).isEqualTo(3);
        commit(actor, prepare(actor, SolrUpdateFunctions.OPTIMIZE, new Document("id", Map.of())));
        assertThat(segments(actor)).isEqualTo(1);
        assertThat(all(actor)).isEqualTo(before);
        commit(
                actor,
                prepare(actor, SolrUpdateFunctions.ADD, row("d", Map.of("n_i", 4L))),
                prepare(actor, SolrUpdateFunctions.OPTIMIZE, new Document("id", Map.of())));
        assertThat(segments(actor)).isEqualTo(1);
        assertThat(SingleCore.found(SingleCore.query(actor, "q=*:*"))).isEqualTo(4);
    }

    @Test
    void changesOfFieldsDoNotSeeWhatWasAborted() {
        SolrActor actor = table(Map.of()).actor(0);
        add(actor, row("a", Map.of("n_i", 1L)));
        Prepared lost = prepare(
                actor,
                SolrUpdateFunctions.ADD,
                row("a", Map.of("n_i", 100L)),
                row("a", Map.of("n_i", Map.of("inc", 5L))),
                row("c", Map.of("n_i", 5L)));
        actor.stage();
        lost.abort();
        add(actor, row("a", Map.of("n_i", Map.of("inc", 1L))), row("c", Map.of("n_i", Map.of("inc", 1L))));
        assertThat(all(actor)).contains("\"n_i\":2", "\"n_i\":1").doesNotContain("\"n_i\":6", "\"n_i\":106");
    }

    @Test
    void deletionsAreAtomicToo() {
        SolrActor actor = table(Map.of()).actor(0);
        add(
                actor,
                IntStream.range(0, 20)
                        .mapToObj(i -> row("d" + i, Map.of("n_i", (long) i)))
                        .toArray(Document[]::new));
        Prepared lost = prepare(actor, SolrUpdateFunctions.DELETE_BY_QUERY, delete("*:*"));
        actor.stage();
        assertThat(actor.usage().rows()).isEqualTo(20);
        lost.abort();
        assertThat(actor.usage().rows()).isEqualTo(20);
        Prepared some = prepare(actor, SolrUpdateFunctions.DELETE_BY_QUERY, delete("n_i:[10 TO *]"));
        Prepared one = prepare(actor, SolrUpdateFunctions.DELETE, row("d3", Map.of()), row("unknown", Map.of()));
        Prepared back = prepare(actor, SolrUpdateFunctions.ADD, row("d15", Map.of("text", "again")));
        assertThat(actor.usage().rows()).isEqualTo(20);
        commit(actor, some, one, back);
        assertThat(actor.usage().rows()).isEqualTo(10);
        assertThat(all(actor)).contains("again").doesNotContain("\"d3\"", "\"d10\"");
    }

    /** A committed version may not be applied here yet when the next one is checked, so only prepare reads documents. */
    @Test
    void aChangeThatMakesNoDocumentIsRefusedWhenItIsPrepared(@TempDir Path conf) throws IOException {
        Files.writeString(conf.resolve("managed-schema"), """
            <schema name="own" version="1.6"><uniqueKey>id</uniqueKey>
            <fieldType name="string" class="solr.StrField" docValues="true"/>
            <fieldType name="pint" class="solr.IntPointField" docValues="true"/>
            <field name="id" type="string"/><field name="kind" type="string" required="true"/>
            <field name="n" type="pint"/></schema>\
            """);
        SolrActor actor = table(Map.of("configset", PackedFilesCodec.pack(conf, file -> true)))
                .actor(0);
        Document change = row("a", Map.of("n", Map.of("inc", 1L)));
        SolrUpdateFunctions.ADD.validate(actor, List.of(change));
        assertThatThrownBy(() -> prepare(actor, SolrUpdateFunctions.ADD, change))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining("\"a\"")
                .hasMessageContaining("kind");
        actor.revoke();
        for (Object wrong : List.of(Map.of("inc", "x"), Map.of("add", 1L), "1.5")) {
            assertThatThrownBy(() -> SolrUpdateFunctions.ADD.validate(actor, List.of(row("a", Map.of("n", wrong)))))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
        }
        add(actor, row("a", Map.of("kind", "k", "n", 1L)));
        add(actor, change);
        assertThat(all(actor)).contains("\"n\":2");
    }

    @Test
    void readersSeeEachVersionWholeWhileOthersComeAndAfterARestart() throws Exception {
        LocalTable table = table(Map.of());
        SolrActor actor = table.actor(0);
        AtomicBoolean stop = new AtomicBoolean();
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
            version(actor, 1);
            List<Future<Integer>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(pool.submit(() -> readWhole(actor, stop)));
            }
            for (int i = 2; i < 25; i++) {
                version(actor, i);
            }
            stop.set(true);
            for (Future<Integer> reader : readers) {
                assertThat(reader.get()).isPositive();
            }
        } finally {
            stop.set(true);
            pool.shutdownNow();
        }
        prepare(actor, SolrUpdateFunctions.ADD, row("d0", Map.of("n_i", 1_000L)));
        table.restart(0);
        assertThat(SingleCore.found(SingleCore.query(table.actor(0), "q=n_i:24")))
                .isEqualTo(30);
        version(table.actor(0), 25);
        assertThat(SingleCore.found(SingleCore.query(table.actor(0), "q=n_i:25")))
                .isEqualTo(30);
    }

    /** Gives all documents this number, after an aborted update. */
    private void version(SolrActor actor, int number) {
        prepare(actor, SolrUpdateFunctions.DELETE_BY_QUERY, delete("*:*")).abort();
        add(
                actor,
                IntStream.range(0, 30)
                        .mapToObj(i -> row("d" + i, Map.of("n_i", (long) number, "tags_ss", List.of("t" + number))))
                        .toArray(Document[]::new));
    }

    private static int readWhole(SolrActor actor, AtomicBoolean stop) {
        int reads = 0;
        do {
            try (SolrActor view = actor.snapshot()) {
                String answer = SingleCore.query(
                        view,
                        "q=*:*&rows=0&facet=true&facet.field=tags_ss&stats=true&stats.field=n_i&facet.mincount=1");
                assertThat(SingleCore.found(answer)).isEqualTo(30);
                assertThat(answer).containsPattern("\"tags_ss\":\\[\"t[0-9]+\",30\\]");
                assertThat(SingleCore.query(view, "q=*:*&rows=0&facet=true&facet.field=tags_ss&facet.mincount=1"))
                        .contains(answer.substring(answer.indexOf("\"tags_ss\":["), answer.indexOf(",30]")));
            }
            reads++;
        } while (!stop.get());
        return reads;
    }
}
