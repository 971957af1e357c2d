package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Addition of fields to the schema of a table, by the command, while it serves and is loaded, on a cluster of processes. Servers are killed
 * meanwhile, restart and catch up.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SolrSchemaIT {
    private static final int ACTORS = 3;
    private static final String FIRST = """
        <fieldType name="string" class="solr.StrField" docValues="true"/>
        <fieldType name="pint" class="solr.IntPointField" docValues="true"/>
        <fieldType name="words" class="solr.TextField"><analyzer><tokenizer name="standard"/>
        <filter name="lowercase"/><filter name="stop" words="stop.txt"/></analyzer></fieldType>
        <field name="id" type="string"/><field name="text" type="words"/><field name="kind" type="string"/>
        <dynamicField name="*_s" type="string"/>
        """;
    private static final String PRICE = "<field name=\"price\" type=\"pint\"/>";
    private static final String SHELF =
            "<field name=\"shelf\" type=\"string\"/><copyField source=\"kind\" dest=\"shelf\"/>";

    private static final Executor PACE = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    private final AtomicInteger loaded = new AtomicInteger();
    private final AtomicBoolean stop = new AtomicBoolean();
    private CompletableFuture<Void> loading = CompletableFuture.completedFuture(null);
    private Path directory;
    private StartedCluster cluster;
    private UniserveClient client;
    private TestingConsole uniserve;

    @BeforeAll
    void start(@TempDir Path root) throws IOException {
        directory = root;
        cluster = StartedCluster.start(ProcessClusterOptions.of(root.resolve("cluster"), 2, "solr"));
        client = cluster.client();
        uniserve = new TestingConsole(RemoteCluster::connect);
        assertThat(run(
                                "table",
                                "create",
                                "docs",
                                "--engine",
                                "solr",
                                "--actors",
                                "" + ACTORS,
                                "--configset",
                                conf(FIRST))
                        .exit())
                .isEqualTo(ExitCode.OK);
        client.admin().createTable(TableSpec.named("plain").port("solr").hash(1).replicas(1));
        loading = loadOn();
    }

    /** Loads from time to time: without pauses, starting servers would get too little CPU. */
    private CompletableFuture<Void> loadOn() {
        return stop.get()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.runAsync(() -> load("old", 5, Map.of()), PACE)
                        .thenCompose(loaded -> loadOn());
    }

    @AfterAll
    void close() {
        stop.set(true);
        loading.join();
        cluster.close();
    }

    private Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", cluster.processes().bootstrap())));
        return uniserve.run(all.toArray(String[]::new));
    }

    private String conf(String body) throws IOException {
        return conf(
                "schema.xml", "<schema name=\"own\" version=\"1.6\"><uniqueKey>id</uniqueKey>" + body + "</schema>");
    }

    private String conf(String name, String schema) throws IOException {
        Path conf = Files.createTempDirectory(directory, "conf");
        Files.writeString(conf.resolve(name), schema);
        Files.writeString(conf.resolve("stop.txt"), "the");
        return conf.toString();
    }

    private void load(String kind, int count, Map<String, Object> more) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Map<String, Object> row = new java.util.HashMap<>(more);
            row.putAll(Map.of("id", "d" + loaded.incrementAndGet(), "text", "the word", "kind", kind));
            rows.add(row);
        }
        UpdateOutcome outcome = client.table("docs")
                .updateDocuments("solr.add@1", rows)
                .deadline(Duration.ofMinutes(2))
                .run();
        outcome.orThrow();
    }

    private String query(String text) {
        return client.query("docs", text).body().utf8();
    }

    private static String found(int count) {
        return "\"numFound\":" + count + ",";
    }

    private TableMeta meta() {
        return client.admin().describeTable("docs").meta();
    }

    /** Solr's own update formats and CSV, into a table of several actors: every type, several values, changes, deletions. */
    @Test
    @Order(0)
    void solrsOwnFilesAreLoaded() throws Exception {
        run("table", "create", "files", "--engine", "solr", "--actors", "3");
        loadFile("json", """
            [{"id": "j1", "n_i": 1, "price_d": 1.5, "even_b": true, "at_dt": "2026-01-02T03:04:05Z", "tags_ss": ["a", "b"]},
             {"id": "j2", "n_i": 2}, {"id": "j3", "n_i": 3}]""");
        loadFile("json", """
            {"add": {"doc": {"id": "j4", "n_i": 3}}, "delete": {"id": "j2"}, "delete": {"query": "n_i:3"},
             "add": {"doc": {"id": "j1", "n_i": {"inc": 10}, "tags_ss": {"add": "c"}}}, "commit": {}}""");
        loadFile("xml", """
            <update><add>
              <doc><field name="id">x1</field><field name="n_i">7</field><field name="even_b">false</field>
                <field name="at_dt">2025-12-31T23:59:59Z</field><field name="tags_ss">a</field><field name="tags_ss">b</field></doc>
              <doc><field name="id">x2</field><field name="title">gone, by its words</field></doc>
              <doc><field name="id">x3</field><field name="price_d">2.5</field></doc></add>
            <delete><query>title:words</query></delete><delete><id>x3</id></delete>
            <add><doc><field name="id">x1</field><field name="n_i" update="inc">5</field>
              <field name="tags_ss" update="remove">a</field></doc></add><commit/></update>""");
        loadFile(
                "csv",
                "id,n_i,price_d,even_b,at_dt,title\nc1,5,0.25,true,2024-02-29T00:00:00Z,\"words, two\"\nc2,6,,,,\n");
        JsonNode answer = new ObjectMapper()
                .readTree(client.query("files", "q=*:*&sort=id asc&rows=20&fl=*")
                        .body()
                        .utf8());
        assertThat(answer.at("/response/docs")).isEqualTo(new ObjectMapper().readTree("""
            [{"id": "c1", "n_i": 5, "price_d": 0.25, "even_b": true, "at_dt": "2024-02-29T00:00:00Z", "title": "words, two"},
             {"id": "c2", "n_i": 6},
             {"id": "j1", "n_i": 11, "price_d": 1.5, "even_b": true, "at_dt": "2026-01-02T03:04:05Z",
              "tags_ss": ["a", "b", "c"]},
             {"id": "x1", "n_i": 12, "even_b": false, "at_dt": "2025-12-31T23:59:59Z", "tags_ss": ["b"]}]"""));
    }

    private void loadFile(String format, String text) throws IOException {
        Path file = Files.writeString(Files.createTempFile(directory, "rows", "." + format), text);
        Run run = run("load", "files", file.toString(), "--format", format);
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
    }

    /** The classes that Solr's configset _default names are among the port's jars. */
    @Test
    @Order(0)
    void analyzersOfAllLanguagesAreThere() throws Exception {
        String types = FIRST.replace("<tokenizer name=\"standard\"/>", "<tokenizer name=\"japanese\"/>")
                + "<fieldType name=\"ko\" class=\"solr.TextField\"><analyzer><tokenizer"
                + " name=\"korean\"/></analyzer></fieldType><fieldType name=\"sound\""
                + " class=\"solr.TextField\"><analyzer><tokenizer name=\"standard\"/><filter"
                + " name=\"doubleMetaphone\"/></analyzer></fieldType><field name=\"_text_\" type=\"sound\""
                + " stored=\"false\"/><field name=\"_version_\" type=\"string\"/><field name=\"_root_\""
                + " type=\"string\" stored=\"false\" docValues=\"false\"/><field name=\"ko\" type=\"ko\"/>";
        Run made = run("table", "create", "tongues", "--engine", "solr", "--actors", "2", "--configset", conf(types));
        assertThat(made.exit()).as(made.err()).isEqualTo(ExitCode.OK);
        client.table("tongues")
                .updateDocuments(
                        "solr.add@1",
                        List.of(
                                Map.of("id", "a", "text", "\u65e5\u672c\u7d4c\u6e08\u65b0\u805e", "_text_", "Smith"),
                                Map.of("id", "b", "ko", "\uac00\uac70\ub3c4\uc6b4\ud56d", "_text_", "Jones")))
                .run()
                .orThrow();
        for (String query : List.of("q=text:\u7d4c\u6e08", "q=Smyth")) {
            assertThat(client.query("tongues", query + "&fl=id").body().utf8()).contains(found(1), "\"id\":\"a\"");
        }
    }

    @Test
    @Order(0)
    void aTableWithABadConfigsetIsNotCreated() throws Exception {
        String standard = "<tokenizer name=\"standard\"/>";
        notCreated("icu", conf(FIRST.replace(standard, "<tokenizer name=\"icu\"/>")));
        notCreated("com.example.Own", conf(FIRST.replace("solr.TextField", "com.example.Own")));
        notCreated("none.txt", conf(FIRST.replace("stop.txt", "none.txt")));
        notCreated(
                "default of field \"at\"",
                conf(
                        FIRST
                                + "<fieldType name=\"date\" class=\"solr.DatePointField\"/><field name=\"at\" type=\"date\" default=\"NOW\"/>"));
        notCreated("uniqueKey", conf("schema.xml", "<schema name=\"own\" version=\"1.6\">" + FIRST + "</schema>"));
        notCreated("configset", conf("schema.xml", "<schema name=\"own\" version=\"1.6\">" + FIRST));
        notCreated("cannot be read", directory.resolve("nowhere").toString());
    }

    private void notCreated(String named, String conf) {
        Run run = run("table", "create", "bad", "--engine", "solr", "--actors", "2", "--configset", conf);
        assertThat(run.err()).contains("INVALID_ARGUMENT", named);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(client.admin().listTables())
                .noneMatch(table -> table.meta().name().value().equals("bad"));
    }

    @Test
    @Order(1)
    void fieldsAreAddedWhileTheTableServes() throws Exception {
        assertThat(run("query", "docs", "q=price:7").exit()).isEqualTo(ExitCode.REFUSED);
        Run changed = run("table", "update", "docs", "--configset", conf(FIRST + PRICE));
        assertThat(changed.exit()).as(changed.err()).isEqualTo(ExitCode.OK);
        assertThat(changed.out()).contains("changed table docs");
        for (int i = 0; i < 20; i++) {
            load("new", 1, Map.of("price", (long) (i % 4)));
        }
        // Every server plans with it as soon as the command has returned.
        for (int i = 0; i < 10; i++) {
            assertThat(query("q=price:[0 TO 1]&rows=0")).contains(found(10));
        }
        assertThat(query("q=kind:new&rows=0&facet=true&facet.field=price&sort=price desc"))
                .contains("\"price\":[\"0\",5,\"1\",5,\"2\",5,\"3\",5]");
        assertThat(query("q=kind:old&rows=1&sort=price asc,id asc&fl=id,price")).doesNotContain("\"price\"");
        Run again = run("table", "update", "docs", "--configset", conf(FIRST + PRICE));
        assertThat(again.exit()).as(again.err()).isEqualTo(ExitCode.OK);
        assertThat(query("q=price:*&rows=0")).contains(found(20));
    }

    @Test
    @Order(2)
    void whatIsNoAdditionIsRefusedAndChangesNothing() throws Exception {
        Map<String, String> before = meta().options();
        String now = FIRST + PRICE;
        refused("\"kind\" is removed", conf(now.replace("<field name=\"kind\" type=\"string\"/>", "")));
        refused("\"price\" is removed", conf(FIRST));
        refused("\"price\" is changed", conf(now.replace("\"price\" type=\"pint\"", "\"price\" type=\"string\"")));
        refused("\"pint\" is changed", conf(now.replace("IntPointField", "LongPointField")));
        refused("\"words\" is changed", conf(now.replace("<filter name=\"lowercase\"/>", "")));
        refused("\"*_s\" is removed", conf(now.replace("<dynamicField name=\"*_s\" type=\"string\"/>", "")));
        refused("\"size_s\" is new, but was", conf(now + "<field name=\"size_s\" type=\"pint\"/>"));
        refused("\"big_*\" is new, but was", conf(now + "<dynamicField name=\"big_*\" type=\"pint\"/>"));
        String schema = "<schema name=\"own\" version=\"1.6\"><uniqueKey>id</uniqueKey>" + now + "</schema>";
        refused("uniqueKey", conf("managed-schema", schema.replace("<uniqueKey>id", "<uniqueKey>kind")));
        refused("configset", conf("managed-schema", schema.replace("</schema>", "")));
        refused("has none of [schema.xml", conf("other.xml", schema));
        String other = conf(now);
        Files.writeString(Path.of(other, "stop.txt"), "an");
        refused("\"stop.txt\" is changed", other);
        refused("cannot be read", directory.resolve("nowhere").toString());
        assertThat(run("table", "update", "nothing", "--configset", conf(now)).err())
                .contains("TABLE_NOT_FOUND");
        assertThat(run("table", "update", "plain", "--configset", conf(now)).exit())
                .isEqualTo(ExitCode.REFUSED);
        assertThat(run("table", "update", "docs").exit()).isEqualTo(ExitCode.USAGE);
        assertThat(meta().options()).isEqualTo(before);
        assertThat(query("q=price:*&rows=0")).contains(found(20));
    }

    private void refused(String named, String conf) {
        Run run = run("table", "update", "docs", "--configset", conf);
        assertThat(run.err()).contains("INVALID_ARGUMENT", named);
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
    }

    @Test
    @Order(3)
    void aServerDiesInTheMiddleAndTheChangeIsCompleted() throws Exception {
        String conf = conf(FIRST + PRICE + SHELF);
        Map<String, String> before = meta().options();
        CompletableFuture<Run> change =
                CompletableFuture.supplyAsync(() -> run("table", "update", "docs", "--configset", conf));
        await().pollInterval(Duration.ofMillis(5)).until(() -> !meta().options().equals(before));
        cluster.processes().daemon("server-1").kill();
        change.join();
        cluster.processes().startServer("server-1");
        await("the same change goes through")
                .atMost(Duration.ofMinutes(2))
                .until(() -> run("table", "update", "docs", "--configset", conf).exit() == ExitCode.OK);
        load("shelved", 30, Map.of("price", 9L));
        assertThat(query("q=shelf:shelved&rows=0&facet=true&facet.field=shelf&facet.mincount=1"))
                .contains(found(30));
        allInSync();
        // It caught up by a checkpoint or a log, and equals the other replica: each answers alone.
        for (String dead : List.of("server-2", "server-1")) {
            cluster.processes().daemon(dead).kill();
            await().atMost(Duration.ofMinutes(2))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(query("q=shelf:shelved AND price:9&rows=0"))
                            .contains(found(30)));
            cluster.processes().startServer(dead);
            allInSync();
        }
        load("shelved", 10, Map.of("price", 9L));
        assertThat(query("q=shelf:shelved AND price:9&rows=0")).contains(found(40));
        stop.set(true);
        loading.join();
        assertThat(query("q=*:*&rows=0")).contains(found(loaded.get()));
    }

    private void allInSync() {
        await().atMost(Duration.ofMinutes(2))
                .until(() -> Stream.of(client.admin().describeTable("docs"))
                        .flatMap(table -> table.map().actors().stream())
                        .map(ActorState::isr)
                        .allMatch(isr -> isr.size() == 2));
    }
}
