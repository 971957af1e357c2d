package io.uniserve.port.druid.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements on two servers that load the port from its folder, as a server does. */
class SqlStatementsTest {
    private static final String COLUMNS =
            "\"dimensionsSpec\":{\"dimensions\":[\"page\",{\"type\":\"long\",\"name\":\"added\"}]}";
    private static final String DISCOVERED = "\"dimensionsSpec\":{\"useSchemaDiscovery\":true}";

    private static LocalCluster cluster;
    private static UniserveClient client;

    @BeforeAll
    static void start(@TempDir Path directory) {
        cluster = LocalCluster.builder()
                .servers(2)
                .port(PortLoader.load(Path.of("target", "port"), "druid"))
                .directory(directory.resolve("cluster"))
                .start();
        client = UniserveClient.builder()
                .bootstrap(cluster.bootstrap().toArray(String[]::new))
                .deadline(Duration.ofMinutes(2))
                .build();
        create("edits", COLUMNS);
        create("found", DISCOVERED);
        client.admin()
                .createTable(TableSpec.named("empty")
                        .port("druid")
                        .hash(2)
                        .replicas(1)
                        .keyField("page")
                        .option("dataSchema", schema(COLUMNS)));
    }

    @AfterAll
    static void stop() {
        client.close();
        cluster.close();
    }

    private static String schema(String dimensions) {
        return "{\"timestampSpec\":{\"column\":\"ts\",\"format\":\"iso\"}," + dimensions
                + ",\"metricsSpec\":[{\"type\":\"count\",\"name\":\"edits_count\"}],"
                + "\"granularitySpec\":{\"segmentGranularity\":\"DAY\",\"queryGranularity\":\"NONE\",\"rollup\":false}}";
    }

    private static void create(String table, String dimensions) {
        client.admin()
                .createTable(TableSpec.named(table)
                        .port("druid")
                        .hash(4)
                        .replicas(2)
                        .keyField("page")
                        .option("dataSchema", schema(dimensions)));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("ts", "2024-01-%02dT00:00:00Z".formatted(1 + i % 4));
            row.put("page", "page " + i % 10);
            row.put("added", (long) i);
            rows.add(row);
        }
        client.table(table)
                .updateDocuments("druid.append@1", rows)
                .ack(AckLevel.ISR)
                .run();
    }

    private static String rows(String sql) {
        String body = client.query("edits", sql).body().utf8();
        return body.substring(body.indexOf("\"rows\":") + 7)
                .replaceAll("\\s", "")
                .replace("}", "");
    }

    private static void assertRefused(String sql, ErrorCode code, String... words) {
        assertThatThrownBy(() -> client.query("edits", sql)).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
            assertThat(e.getMessage()).contains(words);
        });
    }

    @Test
    void answersHaveColumnsTypesAndRows() {
        assertThat(client.query("edits", "SELECT COUNT(*) AS \"n\", SUM(added) AS total, MAX(__time) AS t FROM edits")
                        .body()
                        .utf8())
                .isEqualTo(
                        "{\"columns\":[{\"name\":\"n\",\"type\":\"BIGINT\"},{\"name\":\"total\",\"type\":\"BIGINT\"},{\"name\":\"t\",\"type\":\"TIMESTAMP\"}],\n"
                                + "\"rows\":[\n"
                                + "[40,780,\"2024-01-04T00:00:00.000Z\"]\n"
                                + "]}\n");
    }

    @Test
    void queriesOfAllKinds() {
        assertThat(rows("SELECT TIME_FLOOR(__time, 'P1D') AS d, SUM(added) FROM edits GROUP BY 1 ORDER BY 1 LIMIT 2"))
                .isEqualTo("[[\"2024-01-01T00:00:00.000Z\",180],[\"2024-01-02T00:00:00.000Z\",190]]");
        assertThat(rows("SELECT page, SUM(added) AS s FROM edits GROUP BY page ORDER BY s DESC LIMIT 2"))
                .isEqualTo("[[\"page9\",96],[\"page8\",92]]");
        assertThat(rows("SELECT COUNT(*) FROM edits a JOIN found b ON a.page = b.page WHERE a.page = 'page 3'"))
                .isEqualTo("[[16]]");
        assertThat(rows("SELECT page, added FROM edits WHERE added < 3 ORDER BY __time"))
                .isEqualTo("[[\"page0\",0],[\"page1\",1],[\"page2\",2]]");
        assertThat(rows("SELECT APPROX_COUNT_DISTINCT_DS_THETA(page), APPROX_COUNT_DISTINCT_DS_HLL(page),"
                        + " COUNT(DISTINCT page) FROM edits"))
                .isEqualTo("[[10,10,10]]");
        assertThat(rows("SELECT page, n, RANK() OVER (ORDER BY page) FROM"
                        + " (SELECT page, COUNT(*) AS n FROM edits GROUP BY page) WHERE page < 'page 2'"))
                .isEqualTo("[[\"page0\",4,1],[\"page1\",4,2]]");
        assertThat(rows("SELECT 1 + 1")).isEqualTo("[[2]]");
        assertThat(rows("SELECT COUNT(*) FROM \"empty\"")).isEqualTo("[[0]]");
        assertThat(rows("SELECT COUNT(*) FROM druid.edits WHERE __time >= TIMESTAMP '2024-01-03' AND added >"
                        + " (SELECT AVG(added) FROM found)"))
                .isEqualTo("[[10]]");
    }

    @Test
    void discoveredColumnsHaveTheirTypes() {
        assertThat(client.query("found", "SELECT * FROM found WHERE added = 7")
                        .body()
                        .utf8())
                .contains("{\"name\":\"added\",\"type\":\"BIGINT\"}", "{\"name\":\"page\",\"type\":\"VARCHAR\"}");
    }

    @Test
    void explainPlanForReturnsTheNativeQuery() {
        assertThat(client.query("edits", "EXPLAIN PLAN FOR SELECT COUNT(*) FROM edits")
                        .body()
                        .utf8())
                .contains("\"PLAN\"", "timeseries", "edits");
    }

    @Test
    void theTablesOfAStatement() {
        assertThat(rows("EXPLAIN (TYPE IO) WITH w AS (SELECT * FROM edits) SELECT * FROM w JOIN druid.found f"
                        + " ON w.page = f.page"))
                .isEqualTo("[[\"edits\"],[\"found\"]]");
    }

    @Test
    void parametersAndContext() {
        assertThat(
                        rows(
                                "{\"query\":\"SELECT page FROM edits WHERE added = ? AND page ="
                                        + " ?\",\"parameters\":[{\"type\":\"BIGINT\",\"value\":7},{\"type\":\"VARCHAR\",\"value\":\"page 7\"}]}"))
                .isEqualTo("[[\"page7\"]]");
        assertThat(rows("{\"query\":\"SELECT TIME_FLOOR(MIN(__time), 'PT1H') FROM edits\","
                        + "\"context\":{\"sqlTimeZone\":\"Asia/Tokyo\"}}"))
                .isEqualTo("[[\"2024-01-01T09:00:00.000+09:00\"]]");
        assertThat(rows("SET sqlTimeZone = 'Asia/Tokyo'; SELECT MIN(__time) FROM edits;"))
                .isEqualTo("[[\"2024-01-01T09:00:00.000+09:00\"]]");
    }

    @Test
    void nativeQueriesAreStillAnswered() {
        assertThat(client.query(
                                "edits",
                                "{\"queryType\":\"timeseries\",\"dataSource\":\"edits\",\"granularity\":\"all\","
                                        + "\"intervals\":[\"2024/2025\"],\"aggregations\":[{\"type\":\"count\",\"name\":\"n\"}]}")
                        .body()
                        .utf8())
                .contains("\"n\":40");
    }

    @Test
    void functionsAreListed() {
        assertThat(rows("SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME IN ('TIME_FLOOR',"
                        + " 'DS_THETA') ORDER BY 1"))
                .isEqualTo("[[\"DS_THETA\"],[\"TIME_FLOOR\"]]");
    }

    @Test
    void errorsHaveTheirPosition() {
        assertRefused("SELECT page\nFROM edits WHERE", ErrorCode.INVALID_ARGUMENT, "line 2, column 12");
        assertRefused("SELECT\n  nothing FROM edits", ErrorCode.INVALID_ARGUMENT, "nothing", "line [2], column [3]");
        assertRefused("SET a = 1;\nSELECT nothing FROM edits", ErrorCode.INVALID_ARGUMENT, "line [2], column [8]");
        assertRefused("SELECT * FROM nowhere", ErrorCode.INVALID_ARGUMENT, "nowhere", "line [1], column [15]");
        assertRefused("", ErrorCode.INVALID_ARGUMENT, "empty");
        assertRefused("{\"query\":\"SELECT 1\",\"limit\":3}", ErrorCode.INVALID_ARGUMENT, "limit");
        assertRefused("{\"query\":\"SELECT ?\",\"parameters\":[null]}", ErrorCode.INVALID_ARGUMENT, "parameters[0]");
        assertRefused("SET a 1; SELECT 1", ErrorCode.INVALID_ARGUMENT, "SET");
    }

    @Test
    void whatIsNotSupportedIsRefusedByName() {
        assertRefused("SELECT * FROM sys.segments", ErrorCode.UNSUPPORTED, "sys.segments");
        assertRefused("SELECT * FROM INFORMATION_SCHEMA.TABLES", ErrorCode.UNSUPPORTED, "INFORMATION_SCHEMA.TABLES");
        assertRefused("INSERT INTO edits SELECT * FROM found PARTITIONED BY DAY", ErrorCode.UNSUPPORTED, "INSERT");
        assertRefused("{\"query\":\"SELECT 1\",\"resultFormat\":\"csv\"}", ErrorCode.UNSUPPORTED, "csv");
    }
}
