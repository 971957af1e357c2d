package io.uniserve.port.solr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.EngineInstance;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import io.uniserve.model.TableName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

/** What the port refuses, keeps and restores. */
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
                "hl=true",
                "q=*:*&hl.fl=text",
                "q=*:*&group=true",
                "q=*:*&facet.query=a:b",
                "q=*:*&facet.range=year_i",
                "q=*:*&json.facet={}",
                "q=*:*&cursorMark=*",
                "q=*:*&shards=localhost:8983/solr",
                "q=*:*&distrib=false",
                "q=*:*&isShard=true",
                "q=*:*&facet.shard.limit=3",
                "q=*:*&timeAllowed=5",
                "q=*:*&debug=true",
                "q=*:*&stream.body=x",
                "q=*:*&qt=/admin",
                "q=*:*&f.year_i.facet.method=enum",
                "q=*:*&=x",
                "q=$x&x=*:*",
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
                "q=*:*&echoParams=all | echoParams",
                "q=*:*&defType=dismax | defType",
                "q=*:*&sort=sum(year_i,1) desc | functions",
                "q=*:*&sort=_docid_ asc | _docid_",
                "q=*:*&sort={!x}year_i asc | functions",
                "q=*:*&fl=[docid] | transformers",
                "q=*:*&fl=x:year_i | aliases",
                "q=*:*&fl=sum(year_i,2) | functions",
                "q=*:*&facet=true&facet.field={!ex=a}year_i | local",
                "q={!join from=a to=b}x:y | {!join}",
                "q=_query_:\"{!collapse field=first_s}\" | {!collapse}",
                "q=*:*&fq={!knn f=v topK=3}[1] | {!knn}",
                "q={!type=graph from=a to=b}x:y | {!graph}",
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
                "q=*:*&rows=1000000000 | rows",
                "q=*:*&rows=99999&start=99999 | start + rows",
                "q=*:*&q=a | twice",
                "q=*:*&q.op=XOR | q.op",
                "q=*:*&facet=maybe | facet",
                "q=*:*&facet.limit=-2 | facet.limit",
                "q=*:*&facet.sort=size | facet.sort",
                "q=%zz | %25",
                "q=nosuch:x | nosuch",
                "q=text:( | Cannot parse",
                "q=year_i:abc | abc",
                "q=*:*&sort=nosuch asc | nosuch",
                "q=*:*&sort=year_i | year_i",
                "q=*:*&facet=true&facet.field=nosuch | nosuch",
                "q=a&defType=edismax&qf=nosuch | nosuch",
                "q=a b&defType=edismax&qf=text&mm=x | x",
                "q={!nosuchparser}a | nosuchparser",
            })
    void wrongValuesAreRefused(String query, String named) {
        refused(query, ErrorCode.INVALID_ARGUMENT, named);
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
                "colour | red | \"colour\" is not in the schema; use one of id",
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
        unfit(Map.of("id", "a", "name_s", Map.of("first", "b")), "\"name_s\" is nested");
        unfit(Map.of("id", "a", "name_s", "x".repeat(40_000)), "\"name_s\" has 40000 bytes");
        unfit(Map.of("id", "a", "names_ss", List.of("b", List.of("c"))), "\"names_ss\" is nested");
    }

    private void unfit(Map<String, Object> fields, String named) {
        byte[] before = table.actor(0).digest();
        assertThatThrownBy(() -> SolrUpdates.ADD.validate(table.actor(0), List.of(new Document("id", fields))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining(named);
        assertThat(table.actor(0).digest()).isEqualTo(before);
    }

    @Test
    void wrongTablesAreRefused() {
        TableMeta good = LocalTable.meta(4);
        engine.validate(good);
        engine.validate(
                with(good, "id", ConsistencyLevel.EVENTUAL, good.partitioner(), Map.of("configset", "default")));
        wrong(with(good, "key", good.level(), good.partitioner(), Map.of()), "\"key\": use \"id\"");
        assertThat(engine.info().levels()).containsExactly(ConsistencyLevel.EVENTUAL);
        wrong(with(good, "id", good.level(), new Partitioner.Range(List.of(1L)), Map.of()), "hash");
        wrong(with(good, "id", good.level(), good.partitioner(), Map.of("shards", "3")), "shards=3");
        wrong(with(good, "id", good.level(), good.partitioner(), Map.of("configset", "../x")), "configset=default");
    }

    private void wrong(TableMeta meta, String named) {
        assertThatThrownBy(() -> engine.validate(meta))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining(named);
    }

    private static TableMeta with(
            TableMeta meta, String key, ConsistencyLevel level, Partitioner partitioner, Map<String, String> options) {
        return new TableMeta(
                new TableName("docs"),
                1,
                partitioner,
                key,
                level,
                meta.rf(),
                meta.minIsr(),
                OnLoss.WAIT,
                "solr",
                options);
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
    void everyFlippedByteOfACheckpointIsFound() throws IOException {
        LocalTable own = new LocalTable(engine, instance, directory, 1);
        own.add(Europarl.documents(20));
        Path good = LocalTable.fresh(directory);
        own.actor(0).writeTo(good);
        List<Path> files = list(good);
        assertThat(files).hasSizeGreaterThan(3);
        for (Path damaged : files) {
            Path bad = LocalTable.fresh(directory);
            for (Path file : files) {
                byte[] bytes = Files.readAllBytes(file);
                if (file.equals(damaged)) {
                    bytes[bytes.length / 2] ^= 0x10;
                }
                Files.write(bad.resolve(file.getFileName()), bytes);
            }
            assertThatThrownBy(() -> instance.actors()
                            .restore(new ActorContext(LocalTable.meta(1), 0, LocalTable.fresh(directory)), bad))
                    .as(damaged.toString())
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
        }
    }

    private static List<Path> list(Path path) throws IOException {
        try (Stream<Path> files = Files.list(path)) {
            return new ArrayList<>(files.toList());
        }
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
