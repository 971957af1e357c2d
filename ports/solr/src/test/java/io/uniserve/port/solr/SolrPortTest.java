package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.api.extra.PackedFilesCodec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Refusals, storage and restoration of the port. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SolrPortTest {
    private final SolrEngine engine = new SolrEngine();
    private EngineInstance instance;
    private LocalTable table;
    private Path directory;

    @BeforeAll
    void load(@TempDir Path root) {
        directory = root;
        instance = LocalTable.open(engine, directory);
        table = new LocalTable(engine, instance, directory, 4);
        table.add(Europarl.documents(200));
    }

    @AfterAll
    void close() {
        instance.close();
        instance.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&shards=localhost:8983/solr",
                "q=*:*&distrib=false",
                "q=*:*&isShard=true",
                "q=*:*&facet.shard.limit=3",
                "q=*:*&facet.overrequest.count=3",
                "q=*:*&debug=true",
                "q=*:*&stream.body=x",
                "q=*:*&rq={!rerank}",
                "q=*:*&group.func=year_i",
                "q=*:*&f.year_i.facet.method=enum",
                "q=*:*&json={params:{debug:true}}&debug=",
                "q=*:*&x=*:*",
            })
    void otherParametersAreRefusedByName(String query) {
        String last = query.substring(query.lastIndexOf('&') + 1);
        refused(query, ErrorCode.UNSUPPORTED, "\"" + last.substring(0, last.indexOf('=')) + "\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "q=*:*&wt=xml | wt",
                "q=*:*&defType=join | defType",
                "q=*:*&sort=_docid_ asc | _docid_",
                "q=*:*&fl=[docid] | transformers",
                "q=*:*&fl=id,[explain style=nl] | transformers",
                "q=*:*&sort=ord(year_i) desc | ord",
                "q={!func}scale(year_i,0,1) | scale",
                "q=*:*&fl=a:docfreq(text,'x') | docfreq",
                "q=*:*&json.facet={x:'max(rord(year_i))'} | rord",
                "q={!join from=a to=b}x:y | join",
                "q=_query_:\"{!collapse field=first_s}\" | collapse",
                "q=*:*&fq={!knn f=v topK=3}[1] | knn",
                "q={!type=graph from=a to=b}x:y | graph",
                "q={! f=x type='graph' from=a to=b}x:y | graph",
                "q={!type=$p from=a to=b}x:y&p=graph | $p",
                "json={query:{join:{from:a,to:b,query:'x:y'}}} | join",
                "json={query:'*:*',filter:['{!parent which=a}b']} | parent",
            })
    void otherFeaturesAreRefused(String query, String named) {
        refused(query, ErrorCode.UNSUPPORTED, named);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "q=*:*&rows=-1 | rows",
                "q=*:*&rows=ten | rows",
                "q=*:*&start=-9 | start",
                "q=*:*&rows=100001 | rows",
                "q=*:*&rows=99999&start=99999 | start + rows",
                "json={query:'*:*',limit:60000,offset:60000} | start + rows",
                "q={!knn f=at_v2 topK=100001}[1,2] | topK",
                "q={!knn f=at_v2 topK=1e9}[1,2] | topK",
                "q={!knn f=at_v2 topK=$k}[1,2]&k=999999999 | topK",
                "q=*:*&group=true&group.field=year_i&rows=1&group.limit=999999999 | group.limit",
                "q=*:*&group=true&group.field=year_i&rows=1000&group.limit=51&group.offset=50 | group.limit",
                "q=*:*&facet=true&facet.range=year_i&facet.range.start=0&facet.range.end=1e9&facet.range.gap=1 | gap",
                "q=*:*&facet=true&facet.range={!facet.range.gap=0.001}ratio_d&facet.range.start=0&facet.range.end=1000&facet.range.gap=9 | gap",
                "q=*:*&facet=true&facet.range=date_dt&facet.range.start=2000-01-01T00:00:00Z&facet.range.end=NOW&facet.range.gap=%2B1SECOND | gap",
                "q=*:*&json.facet={a:{type:query,q:'*:*',facet:{x:{range:{field:year_i,start:0,end:2000000000,gap:1}}}}} | gap",
                "q=*:*&json.facet={x:{type:range,field:date_dt,start:'1000-01-01T00:00:00Z',end:'NOW',gap:'%2B1DAY'}} | gap",
                "q=*:*&facet=true&facet.range=year_i&facet.range.start=0&facet.range.end=9&facet.range.gap=0 | gap",
                "q={!func}strdist(title,'a',ngram,999999999) | ngram",
                "q=*:*&hl=true&hl.snippets=999999999 | hl.snippets",
                "q=*:*&=x | key",
                "q=*:*&q=a | twice",
                "q=*:*&q.op=XOR | q.op",
                "q=*:*&facet=maybe | facet",
                "q=*:*&facet.limit=-2 | facet.limit",
                "q=*:*&facet.sort=size | facet.sort",
                "q=%zz | %",
                "q=nosuch:x | nosuch",
                "q=text:( | the query ends too early",
                "q=year_i:abc | abc",
                "q=*:*&sort=nosuch asc | nosuch",
                "q=*:*&sort=year_i | year_i",
                "q=*:*&facet=true&facet.field=nosuch | nosuch",
                "q=*:*&facet=true&facet.range=year_i | facet.range",
                "q=a&defType=edismax&qf=nosuch | nosuch",
                "q=a b&defType=edismax&qf=text&mm=x | x",
                "q={!nosuchparser}a | nosuchparser",
                "q=*:*&cursorMark=nonsense | nonsense",
                "q=*:*&cursorMark=*&start=3 | start",
                "q=*:*&json.facet={x | Expected key",
                "q=*:*&json.facet={x:{type:terms}} | type",
                "q=*:*&json={nosuch:1} | nosuch",
                "q=*:*&stats=true&stats.field=nosuch | nosuch",
                "q={!knn f=text topK=3}[1,2] | DenseVectorField",
                "q=*:*&fl=sum(nosuch,1) | nosuch",
            })
    void wrongValuesAreRefused(String query, String named) {
        refused(query, ErrorCode.INVALID_ARGUMENT, named);
    }

    /** These numbers only limit lists that depend on the documents: they allocate no memory. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "q=*:*&rows=0&facet=true&facet.field=year_i&facet.field=title&facet.limit=999999999&facet.offset=1",
                "q=*:*&rows=0&facet=true&facet.pivot=year_i,even_b&facet.limit=999999999&facet.pivot.mincount=2",
                "q=*:*&rows=0&json.facet={y:{type:terms,field:year_i,limit:999999999,offset:1},t:{terms:{field:first_s,limit:999999999}}}",
                "q=*:*&group=true&group.field=year_i&rows=100&group.limit=900&group.offset=100&fl=id",
                "q=*:*&start=99990&rows=10",
                "q=text:commission&hl=true&hl.fl=text&hl.snippets=100000&hl.fragsize=999999999&hl.maxAnalyzedChars=999999999",
                "q=text:commision~&mm=999999999&defType=edismax&qf=text&ps=999999999&pf=text",
                "q={!fuzzy f=text maxExpansions=999999999}commision",
            })
    void largeNumbersTakeNoMemory(String query) {
        assertThat(table.query(query)).contains("\"status\":0");
    }

    private void refused(String query, ErrorCode code, String named) {
        assertThatThrownBy(() -> table.query(query))
                .as(query)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(code))
                .hasMessageContaining(named);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "n_i | abc | n_i",
                "n_l | 1.5 | n_l",
                "x_d | twelve | x_d",
                "on_b | maybe | on_b",
                "at_dt | yesterday | at_dt",
                "at_dt | NOW/DAY | at_dt",
                "colour | red | \"colour\" is not in the schema; add it",
            })
    void unfitTextsAreRefused(String field, String value, String named) {
        unfit(Map.of("id", "a", field, value), named);
    }

    @Test
    void unfitDocumentsAreRefused() {
        unfit(Map.of("text", "b"), "\"id\" is null");
        unfit(Map.of("id", 7L), "\"id\" is 7");
        unfit(Map.of("id", "a", "n_i", 3_000_000_000L), "n_i");
        unfit(Map.of("id", "a", "n_i", 1.5), "n_i");
        unfit(Map.of("id", "a", "name_s", List.of("b", "c")), "name_s");
        unfit(Map.of("id", "a", "name_s", Map.of("first", "b")), "\"name_s\" does not take \"first\"");
        unfit(Map.of("id", "a", "name_s", "x".repeat(40_000)), "\"name_s\" has 40000 bytes");
        unfit(Map.of("id", "a", "names_ss", List.of("b", List.of("c"))), "\"names_ss\" is nested");
        unfit(Map.of("id", "a", "_version_", "new"), "\"_version_\" is new; give a whole number");
    }

    private void unfit(Map<String, Object> fields, String named) {
        byte[] before = table.actor(0).digest();
        assertThatThrownBy(() -> SolrUpdateFunctions.ADD.validate(table.actor(0), List.of(new Document("id", fields))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining(named);
        assertThat(table.actor(0).digest()).isEqualTo(before);
    }

    @Test
    void wrongTablesAreRefused() {
        TableMeta good = LocalTable.meta(4);
        engine.validate(good);
        engine.validate(with(good, good.partitioner(), Map.of("configset", "default")));
        assertThat(engine.info().levels()).containsExactlyInAnyOrder(ConsistencyLevel.values());
        wrong(with(good, new Partitioner.Range(List.of(1L)), Map.of()), "hash");
        wrong(with(good, good.partitioner(), Map.of("shards", "3")), "shards");
        wrong(with(good, good.partitioner(), Map.of("configset", "../x")), "cannot be unpacked");
        wrong(with(good, good.partitioner(), Map.of("configset", "")), "schema");
    }

    private void wrong(TableMeta meta, String named) {
        assertThatThrownBy(() -> engine.validate(meta))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(named);
    }

    private static TableMeta with(TableMeta meta, Partitioner partitioner, Map<String, String> options) {
        return new TableMeta(
                new TableName("docs"),
                1,
                partitioner,
                "id",
                meta.level(),
                meta.rf(),
                meta.minIsr(),
                OnLoss.WAIT,
                "solr",
                options);
    }

    @Test
    void atomicUpdatesChangeFieldsOfDocuments() {
        LocalTable own = new LocalTable(engine, instance, directory, 2);
        own.add(List.of(row("a", Map.of("n_i", 1L, "tags_ss", List.of("x"), "text", "stays"))));
        own.add(List.of(
                row("a", Map.of("n_i", Map.of("inc", 5L))),
                row("a", Map.of("n_i", Map.of("inc", "2"), "tags_ss", Map.of("add", List.of("y", "z")))),
                row("a", Map.of("tags_ss", Map.of("remove", "x"), "on_b", Map.of("set", true))),
                row("b", Map.of("n_i", Map.of("inc", 4L)))));
        assertThat(own.query("q=*:*&sort=id asc&fl=*"))
                .contains("\"n_i\":8", "\"tags_ss\":[\"y\",\"z\"]", "\"stays\"", "\"on_b\":true", "\"n_i\":4");
        unfit(Map.of("id", "a", "n_i", Map.of("inc", "x")), "n_i");
        unfit(Map.of("id", "a", "text", Map.of("add", "x")), "does not take \"add\"");
        unfit(Map.of("id", "a", "at_dt", Map.of("inc", 1L)), "does not take \"inc\"");
        unfit(Map.of("id", "a", "text", Map.of("set", "x", "inc", 1L)), "nested");
    }

    @Test
    void whatAQueryFindsIsDeletedEverywhere() {
        LocalTable own = new LocalTable(engine, instance, directory, 3);
        own.add(Europarl.documents(100));
        long even = SingleCore.found(own.query("q=even_b:true&rows=0"));
        own.deleteByQuery("even_b:true");
        assertThat(SingleCore.found(own.query("q=*:*&rows=0"))).isEqualTo(100 - even);
        own.deleteByQuery("text:\"of the\"~4 OR (+text:is +text:also) OR id:a\\:b");
        own.deleteByQuery("{!frange l=0.9999}vectorSimilarity(FLOAT32,COSINE,at_v2,[0.3,0.9])");
        own.deleteByQuery("first_s:\"http://a/~user\" OR {!complexphrase df=text v='\"the comm*\"~2'}");
        own.deleteByQuery("*:*");
        assertThat(SingleCore.found(own.query("q=*:*&rows=0"))).isZero();
        for (String wrong : List.of(
                "even_b:(",
                "at_dt:[* TO NOW]",
                "at_dt:[* TO N\\OW]",
                "at_dt:[* TO \\u004eOW]",
                "{!frange l=0}sub(ms(),ms(at_dt))",
                "{!frange l=1 v='query($x)'}",
                "text:parlament~",
                "text:parlament~1",
                "{!complexphrase df=text}\"parlament~ the\"",
                "{!vectorSimilarity f=at_v2 minReturn=0.9}[0.3,0.9]",
                "even_b:true -{!vectorSimilarity f=at_v2 minReturn=0.9 v='[0.3,0.9]'}",
                "{!join from=a to=b}x",
                "nosuch:1")) {
            Document row = new Document("id", Map.of("query", wrong));
            assertThatThrownBy(() -> SolrUpdateFunctions.DELETE_BY_QUERY.validate(own.actor(0), List.of(row)))
                    .as(wrong)
                    .isInstanceOf(UniserveException.class);
        }
    }

    @Test
    void aViewTakesWhatTheActorHasNoMore() {
        LocalTable own = new LocalTable(engine, instance, directory, 1);
        own.add(Europarl.documents(200));
        try (SolrActor view = own.actor(0).snapshot()) {
            assertThat(view.usage().diskBytes()).isZero();
            own.add(List.of(row("a", Map.of("text", "one more"))));
            assertThat(view.usage().diskBytes())
                    .as("its segments are the actor's too")
                    .isZero();
            own.deleteByQuery("*:*");
            own.add(Europarl.documents(200));
            assertThat(view.usage().rows()).isEqualTo(200);
            assertThat(view.usage().diskBytes()).isPositive();
            assertThat(view.usage().memoryBytes()).isZero();
        }
    }

    @Test
    void aTableBringsItsSchemaAndIsSpreadByAFieldOfItsOwn(@TempDir Path conf) throws IOException {
        Files.writeString(conf.resolve("managed-schema"), """
                <schema name="own" version="1.6"><uniqueKey>key</uniqueKey>
                <fieldType name="string" class="solr.StrField" docValues="true"/>
                <fieldType name="words" class="solr.TextField"><analyzer><tokenizer name="standard"/>
                <filter name="stop" words="stop.txt"/></analyzer></fieldType>
                <field name="key" type="string"/><field name="shop" type="string"/><field name="text" type="words"/>
                </schema>""");
        Files.writeString(conf.resolve("stop.txt"), "the");
        TableMeta meta = LocalTable.meta(3, "shop", Map.of("configset", PackedFilesCodec.pack(conf, file -> true)));
        engine.validate(meta);
        LocalTable own = new LocalTable(engine, instance, directory, meta);
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            rows.add(new Document("shop", Map.of("key", "k" + i, "shop", "s" + i % 7, "text", "the number " + i)));
        }
        own.add(rows);
        assertThat(SingleCore.found(own.query("q=text:number&rows=0"))).isEqualTo(60);
        assertThat(SingleCore.found(own.query("q=text:the&rows=0"))).isZero();
        String collapsed = own.query("q=*:*&fq={!collapse field=shop}&sort=key asc&fl=key");
        assertThat(SingleCore.found(collapsed)).isEqualTo(7);
        assertThat(own.query("q=*:*&group=true&group.field=shop&group.ngroups=true"))
                .contains("\"ngroups\":7");
        assertThatThrownBy(() -> own.query("q=*:*&fq={!collapse field=text}")).hasMessageContaining("collapse");
    }

    private static Document row(String id, Map<String, Object> fields) {
        Map<String, Object> all = new HashMap<>(fields);
        all.put("id", id);
        return new Document("id", all);
    }

    @Test
    void theNearestOfTheTableAreFound() throws Exception {
        LocalTable own = new LocalTable(engine, instance, directory, 3);
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 90; i++) {
            rows.add(row("d" + i, Map.of("at_v2", List.of(Math.cos(i), Math.sin(i)), "even_b", i % 2 == 0)));
        }
        own.add(rows);
        String query = "q={!knn f=at_v2 topK=7}[0.3,0.9]&fl=id,score&rows=20&facet=true&facet.field=even_b";
        try (PlainCore plain = PlainCore.of(directory, rows)) {
            for (String more : List.of("", "&fq=even_b:true", "&sort=id desc", "&rows=3&start=2")) {
                String whole = query.replace("&rows=20", more.contains("rows") ? "" : "&rows=20") + more;
                SingleCore.assertSame(whole, plain.query(whole), own.query(whole));
            }
        }
        unfit(Map.of("id", "a", "at_v2", List.of(1.0)), "at_v2");
    }

    @Test
    void documentsAreGotByTheirIds() {
        assertThat(table.query("qt=/get&id=e5&fl=id")).contains("\"doc\":{\"id\":\"e5\"}");
        for (String ids : List.of("e5,e6,none", "e9,e3,e8,e1,e2,e9,e7", "e6,e5", "e1")) {
            List<String> there =
                    Stream.of(ids.split(",")).filter(id -> !id.equals("none")).toList();
            assertThat(SingleCore.ids(table.query("qt=/get&ids=" + ids + "&fl=id")))
                    .isEqualTo(there);
            assertThat(table.query("qt=/get&ids=" + ids)).contains("\"numFound\":" + there.size() + ",");
        }
        assertThat(table.query("qt=/get&id=none")).contains("\"doc\":null");
        int wanted = table.statesWanted();
        table.query("qt=/get&id=e5&fl=id");
        assertThat(table.statesWanted())
                .as("a state that is held while others update is not the newest")
                .isEqualTo(wanted);
        table.query("q=id:e5&fl=id");
        assertThat(table.statesWanted()).isEqualTo(wanted + 1);
        refused("qt=/get&ids=e5,e6&fl=title", ErrorCode.UNSUPPORTED, "field that has them");
    }

    /** Solr would read prepared updates, and updates after the state that is held. */
    @Test
    void realTimeGetIsRefusedWhereItWouldSeeAnotherState() {
        LocalTable own = new LocalTable(engine, instance, directory, 1);
        own.add(Europarl.documents(20));
        assertThat(own.query(0, "qt=/get&id=e5&fl=id")).contains("\"doc\":{\"id\":\"e5\"}");
        SolrActor live = own.actor(0);
        try (SolrActor view = own.actor(0).snapshot()) {
            own.use(view);
            assertThatThrownBy(() -> own.query(0, "qt=/get&id=e5&fl=id")).hasMessageContaining("qt=/get");
            assertThatThrownBy(() -> own.query("qt=/get&id=e5&fl=id"))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNSUPPORTED))
                    .hasMessageContaining("session");
            assertThat(own.query(0, "q={!term f=id}e5&fl=id")).contains("{\"id\":\"e5\"}");
        } finally {
            own.use(live);
        }
        TableMeta atomic = new TableMeta(
                new TableName("docs"),
                1,
                new Partitioner.Hash(2),
                "id",
                ConsistencyLevel.SERIALIZABLE,
                1,
                1,
                OnLoss.WAIT,
                "solr",
                Map.of());
        LocalTable versions = new LocalTable(engine, instance, directory, atomic);
        assertThatThrownBy(() -> versions.query("qt=/get&id=e5")).hasMessageContaining("atomic");
    }

    @Test
    void fieldsAreFetchedFromTheirActorsOnly() {
        table.rounds();
        table.query("q=id:e7&fl=*");
        int owner = LocalTable.meta(4).partitioner().actorOf(new Document("id", Map.of("id", "e7")).partitionKey());
        assertThat(table.rounds()).containsExactly(Set.of(0, 1, 2, 3), Set.of(owner));
        table.query("q=*:*&rows=0");
        assertThat(table.rounds()).containsExactly(Set.of(0, 1, 2, 3));
    }

    @Test
    void aReplacedDocumentIsFoundByItsNewWordsOnly() {
        LocalTable own = new LocalTable(engine, instance, directory, 3);
        own.add(List.of(new Document("id", Map.of("id", "a", "text", "first"))));
        own.add(List.of(new Document("id", Map.of("id", "a", "text", "second"))));
        assertThat(SingleCore.found(own.query("q=first"))).isZero();
        assertThat(SingleCore.ids(own.query("q=second"))).containsExactly("a");
        own.delete(List.of(new Document("id", Map.of("id", "a")), new Document("id", Map.of("id", "never there"))));
        assertThat(SingleCore.found(own.query("q=*:*"))).isZero();
    }

    @Test
    void actorsRestoredFromTheirCheckpointsAnswerTheSameAndTakeUpdates() {
        LocalTable own = new LocalTable(engine, instance, directory, 3);
        own.add(Europarl.documents(300));
        String query = "q=*:*&sort=length_l desc&rows=300&facet=true&facet.field=first_s";
        String before = own.query(query);
        List<byte[]> digests =
                Stream.of(0, 1, 2).map(a -> own.actor(a).digest()).toList();
        for (int actor = 0; actor < 3; actor++) {
            own.restart(actor);
            assertThat(own.actor(actor).digest()).isEqualTo(digests.get(actor));
        }
        assertThat(own.query(query)).isEqualTo(before);
        own.add(List.of(new Document("id", Map.of("id", "new", "text", "after the restart"))));
        assertThat(SingleCore.ids(own.query("q=restart&fl=id"))).contains("new");
    }

    @Test
    void aCheckpointStaysWhileTheActorGoesOn() throws IOException {
        LocalTable own = new LocalTable(engine, instance, directory, 1);
        own.add(Europarl.documents(100));
        byte[] digest = own.actor(0).digest();
        Path checkpoint = LocalTable.fresh(directory);
        own.actor(0).writeTo(checkpoint);
        for (int i = 0; i < 15; i++) {
            own.add(Europarl.documents(100 + i * 20));
        }
        own.actor(0).destroy();
        SolrActor restored = (SolrActor) instance.actors()
                .restore(new ActorContext(LocalTable.meta(1), 0, LocalTable.fresh(directory)), checkpoint);
        assertThat(restored.digest()).isEqualTo(digest);
    }

    @Test
    void aClosedActorSaysSo() {
        LocalTable own = new LocalTable(engine, instance, directory, 1);
        own.actor(0).close();
        assertThatThrownBy(() -> own.query("q=*:*"))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void destroyLeavesNothingBehind() {
        Path scratch = LocalTable.fresh(directory);
        SolrActor actor = (SolrActor) instance.actors().create(new ActorContext(LocalTable.meta(1), 0, scratch));
        assertThat(scratch).isNotEmptyDirectory();
        actor.destroy();
        actor.destroy();
        assertThat(scratch).doesNotExist();
    }
}
