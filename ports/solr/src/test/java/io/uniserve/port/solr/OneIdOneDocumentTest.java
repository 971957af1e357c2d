package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.BroadcastUpdate;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.solr.client.solrj.SolrServerException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tables whose key field is not the uniqueKey: an id under two keys is one document, as in one core. */
final class OneIdOneDocumentTest {
    private static final int ACTORS = 4;
    private static final int SEEDS = 3;
    private static final String ALL = "q=*:*&rows=100&sort=id asc&fl=id,city_s,n_i,text";

    private final SolrEngine engine = new SolrEngine();

    @TempDir
    Path directory;

    private EngineInstance instance;
    private LocalTable cities;

    @BeforeEach
    void open() {
        instance = LocalTable.open(engine, directory);
        cities = new LocalTable(engine, instance, directory, LocalTable.meta(ACTORS, "city_s", Map.of()));
    }

    @AfterEach
    void close() {
        instance.close();
    }

    private static Document row(String id, String city, Object... more) {
        Map<String, Object> fields = new LinkedHashMap<>(Map.of("id", id, "city_s", city));
        for (int i = 0; i < more.length; i += 2) {
            fields.put(String.valueOf(more[i]), more[i + 1]);
        }
        return new Document("city_s", fields);
    }

    /** Returns a city whose rows are at another actor. */
    private static String elsewhere(LocalTable table, String city) {
        int actor = actor(table, city);
        for (int i = 0; ; i++) {
            if (actor(table, "town" + i) != actor) {
                return "town" + i;
            }
        }
    }

    private static int actor(LocalTable table, String city) {
        return table.meta().partitioner().actorOf(row("any", city).partitionKey());
    }

    private static void refused(ThrowingCallable call, String message) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining(message);
    }

    static LongStream seeds() {
        return ParitySeeds.ofTheDay().limit(SEEDS);
    }

    /** Random updates, some with several rows of one id, with restarts of actors in between. */
    @ParameterizedTest
    @MethodSource("seeds")
    void answersAreThoseOfOneCore(long seed) throws IOException, SolrServerException {
        Random random = new Random(seed);
        try (PlainCore core = PlainCore.of(directory, List.of())) {
            for (int update = 0; update < 12; update++) {
                Map<String, Document> last = new LinkedHashMap<>();
                List<Document> rows = new ArrayList<>();
                for (int i = 0; i <= random.nextInt(6); i++) {
                    String id = "v" + random.nextInt(8);
                    Document row = row(id, "city" + random.nextInt(9), "n_i", (long) random.nextInt(100));
                    rows.add(row);
                    last.put(id, row);
                }
                cities.add(rows);
                core.add(List.copyOf(last.values()));
                if (random.nextInt(4) == 0) {
                    cities.restart(random.nextInt(ACTORS));
                }
                for (String query : List.of(
                        ALL,
                        "q=*:*&rows=0&facet=true&facet.field=city_s&facet.field=id&facet.mincount=1",
                        ALL + "&fq=n_i:[20 TO 70]")) {
                    SingleCore.assertSame(query, core.query(query), cities.query(query));
                }
            }
        }
    }

    @Test
    void changesOfFieldsNeedTheDocumentUnderItsKey() {
        String town = elsewhere(cities, "oslo");
        cities.add(List.of(row("a", "oslo", "n_i", 1L, "text", "stays")));
        cities.add(List.of(row("a", "oslo", "n_i", Map.of("inc", 4L))));
        assertThat(cities.query(ALL)).contains("\"n_i\":5", "stays");
        String before = cities.query(ALL);
        refused(() -> cities.add(List.of(row("a", town, "n_i", Map.of("inc", 4L)))), "\"a\" is not under city_s");
        refused(() -> cities.add(List.of(row("b", "oslo", "n_i", Map.of("inc", 4L)))), "\"b\" is not under city_s");
        // Row by row: the document has moved away when its second row is checked.
        refused(
                () -> cities.add(List.of(row("a", town), row("a", "oslo", "n_i", Map.of("inc", 4L)))),
                "\"a\" is not under city_s");
        assertThat(cities.query(ALL)).isEqualTo(before);
        cities.add(List.of(row("a", town, "n_i", 7L), row("a", town, "n_i", Map.of("inc", 4L))));
        assertThat(cities.query(ALL)).contains("\"numFound\":1", "\"n_i\":11").doesNotContain("stays");
    }

    @Test
    void conditionsAreRefusedWhereTheDocumentMayBeElsewhere() {
        cities.add(List.of(row("a", "oslo", "n_i", 1L)));
        for (long version : new long[] {-1, 1, 12_345}) {
            refused(() -> cities.add(List.of(row("a", "oslo", "_version_", version))), "depends on version " + version);
        }
        refused(
                () -> cities.add(List.of(row("a", "oslo", "n_i", Map.of("inc", 1L), "_version_", -1L))),
                "depends on version -1");
        cities.add(List.of(row("a", "oslo", "n_i", Map.of("inc", 1L), "_version_", 1L)));
        assertThatThrownBy(() -> cities.add(List.of(row("a", "oslo", "n_i", Map.of("inc", 1L), "_version_", 12_345L))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
        assertThat(cities.query(ALL)).contains("\"n_i\":2");
    }

    @Test
    void noActorDeletesForARowThatItsOwnDoesNotTake() {
        String town = elsewhere(cities, "oslo");
        cities.add(List.of(row("a", "oslo", "n_i", 1L)));
        SolrActor holder = cities.actor(actor(cities, "oslo"));
        for (Document bad : List.of(row("a", town, "n_i", "many"), row("a", town, "nosuchfield", "x"))) {
            assertThatThrownBy(() -> SolrUpdateFunctions.ADD_EVERYWHERE.validate(holder, List.of(bad)))
                    .isInstanceOf(UniserveException.class);
        }
        assertThat(cities.query(ALL)).contains("\"numFound\":1");
    }

    @Test
    void updatesOfOneActorAloneAreRefused() {
        SolrActor own = cities.actor(actor(cities, "oslo"));
        refused(() -> SolrUpdateFunctions.ADD.validate(own, List.of(row("a", "oslo"))), "must go to every actor");
        Document change = row("a", "oslo", "n_i", Map.of("inc", 1L));
        SolrActor other = cities.actor((actor(cities, "oslo") + 1) % ACTORS);
        refused(() -> SolrUpdateFunctions.ADD_EVERYWHERE.validate(other, List.of(change)), "is not for actor");
    }

    @Test
    void replicasAndRepeatedUpdatesAreAlike() {
        String town = elsewhere(cities, "oslo");
        LocalTable copy = new LocalTable(engine, instance, directory, cities.meta());
        for (LocalTable each : List.of(cities, copy)) {
            each.add(List.of(row("a", "oslo"), row("b", town)));
            each.add(List.of(row("a", town, "n_i", 2L), row("b", "oslo", "n_i", 3L), row("a", "oslo", "n_i", 4L)));
        }
        for (int actor = 0; actor < ACTORS; actor++) {
            assertThat(copy.actor(actor).digest()).isEqualTo(cities.actor(actor).digest());
            // An actor that did not acknowledge gets the rows again.
            Document again = row("a", "oslo", "n_i", 4L);
            SolrUpdateFunctions.ADD_EVERYWHERE.update(cities.actor(actor), new UpdateContext(100), List.of(again));
            cities.actor(actor).publish();
        }
        assertThat(cities.query(ALL)).isEqualTo(copy.query(ALL)).contains("\"numFound\":2");
    }

    @Test
    void atomicUpdatesMoveADocumentInOneVersionOrNotAtAll() {
        TableMeta m = cities.meta();
        LocalTable atomic = new LocalTable(
                engine,
                instance,
                directory,
                new TableMeta(
                        m.name(),
                        m.tableId(),
                        m.partitioner(),
                        m.keyField(),
                        ConsistencyLevel.FULLY_SERIALIZABLE,
                        m.rf(),
                        m.minIsr(),
                        m.onLoss(),
                        m.port(),
                        m.options()));
        String town = elsewhere(atomic, "oslo");
        atomic.add(List.of(row("a", "oslo", "n_i", 1L)));
        SolrActor from = atomic.actor(actor(atomic, "oslo"));
        SolrActor to = atomic.actor(actor(atomic, town));
        String before = atomic.query(ALL);
        for (boolean commits : List.of(false, true)) {
            List<Prepared> parts = List.of(prepare(from, row("a", town)), prepare(to, row("a", town)));
            assertThat(atomic.query(ALL)).isEqualTo(before);
            parts.forEach(commits ? Prepared::commit : Prepared::abort);
            from.publish();
            to.publish();
            assertThat(atomic.query(ALL).equals(before)).isEqualTo(!commits);
        }
        assertThat(atomic.query(ALL)).contains("\"numFound\":1", town);
        refused(() -> prepare(from, row("a", "oslo", "n_i", Map.of("inc", 1L))), "it is not under this city_s");
        from.revoke();
        assertThat(atomic.query(ALL)).contains("\"numFound\":1", town);
    }

    private static Prepared prepare(SolrActor actor, Document row) {
        AtomicUpdate<SolrActor, Document> update =
                AtomicUpdate.of(SolrUpdateFunctions.ADD_EVERYWHERE, actor).orElseThrow();
        update.validate(actor, List.of(row));
        return update.prepare(actor, new UpdateContext(50), List.of(row));
    }

    @Test
    void theUniqueKeyIsToldByAnOptionWhereItIsNotId() throws IOException {
        String schema = """
            <schema name="parts" version="1.6"><uniqueKey>part</uniqueKey>
              <fieldType name="string" class="solr.StrField" docValues="true"/>
              <field name="part" type="string" required="true"/><field name="id" type="string"/></schema>
            """;
        Path conf = LocalTable.fresh(directory);
        PlainCore.write(conf, Map.of("schema.xml", schema));
        Map<String, String> set = Map.of("configset", PackedFilesCodec.pack(conf, any -> true));
        Map<String, String> told = new LinkedHashMap<>(set);
        told.put(BroadcastUpdate.OPTION, "part");
        engine.validate(LocalTable.meta(2, "part", set));
        engine.validate(LocalTable.meta(2, "part", told));
        engine.validate(LocalTable.meta(2, "id", told));
        for (TableMeta wrong : List.of(
                LocalTable.meta(2, "id", set), LocalTable.meta(2, "id", Map.of(BroadcastUpdate.OPTION, "title")))) {
            assertThatThrownBy(() -> engine.validate(wrong))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                    .hasMessageContaining(BroadcastUpdate.OPTION);
        }
        LocalTable byId = new LocalTable(engine, instance, directory, LocalTable.meta(2, "id", told));
        for (String id : List.of("x", "y", "z")) {
            byId.add(List.of(new Document("id", Map.of("part", "p", "id", id))));
        }
        assertThat(byId.query("q=*:*&fl=id")).contains("\"numFound\":1", "\"z\"");
    }
}
