package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.DruidEngine;
import io.uniserve.port.druid.segment.DruidUpdateFunctions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wrong queries, rows and schemas get errors that name the fault, and the table still answers afterwards. */
class DruidBadInputTest {
    private static final String ALL = "\"-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z\"";

    private static LocalActors actors;

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        actors = new LocalActors(directory).with(DruidParityTest.meta("one", new Partitioner.Hash(2)));
        actors.append(
                "one",
                List.of(
                        row("k1", -62_167_219_200_000L, "old"),
                        row("k2", -1L, "a"),
                        row("k3", 253_402_300_800_000L, "new"),
                        row("k4", 1_704_067_200_000L, "b")),
                10);
    }

    @AfterAll
    static void close() {
        actors.close();
    }

    private static Document row(String id, long time, String text) {
        return new Document("id", Map.of("id", id, "ts", time, "s", text, "m", 1L));
    }

    private static String count(String more) {
        return "{\"queryType\": \"timeseries\", \"dataSource\": \"one\", \"intervals\": " + ALL
                + ", \"granularity\": \"all\"," + " \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}]" + more
                + "}";
    }

    private static void checkRefused(String query, ErrorCode code, String text) {
        assertThatThrownBy(() -> actors.answer("one", query)).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
            assertThat(e.getMessage()).contains(text);
        });
        assertThat(actors.answer("one", count(""))).contains("\"n\":4");
    }

    @Test
    void rowsOfAllTimesCount() {
        assertThat(actors.answer("one", count(""))).contains("\"n\":4");
        assertThat(actors.answer("one", count("").replace(ALL, "\"0000-01-01/1970-01-01\"")))
                .contains("\"n\":2");
        assertThat(actors.answer("one", count("").replace(ALL, "\"9999-12-31/10001-01-01\"")))
                .contains("\"n\":1");
    }

    @Test
    void malformedQueries() {
        checkRefused("{\"queryType\": \"timeseries\"", ErrorCode.INVALID_ARGUMENT, "query is not valid");
        checkRefused("[]", ErrorCode.INVALID_ARGUMENT, "queryType");
        checkRefused("{\"queryType\": \"nosuch\"}", ErrorCode.INVALID_ARGUMENT, "nosuch");
        checkRefused("{\"queryType\": \"timeseries\"}", ErrorCode.INVALID_ARGUMENT, "");
        checkRefused(count("").replace("\"all\"", "\"nosuch\""), ErrorCode.INVALID_ARGUMENT, "NOSUCH");
        checkRefused(count("").replace(ALL, "\"yesterday\""), ErrorCode.INVALID_ARGUMENT, "");
        checkRefused(count("").replace("\"one\"", "\"nosuch\""), ErrorCode.TABLE_NOT_FOUND, "nosuch");
        checkRefused(count(", \"context\": {\"bySegment\": true}"), ErrorCode.UNSUPPORTED, "bySegment");
    }

    @Test
    void deepFilters() {
        String filter = "{\"type\": \"selector\", \"dimension\": \"s\", \"value\": \"a\"}";
        String deep = "{\"type\": \"not\", \"field\": ".repeat(10_000) + filter + "}".repeat(10_000);
        checkRefused(count(", \"filter\": " + deep), ErrorCode.INVALID_ARGUMENT, "nested too deeply");
    }

    @Test
    void tooManyTimeBuckets() {
        checkRefused(count("").replace("\"all\"", "\"second\""), ErrorCode.RESOURCE_EXHAUSTED, "time buckets");
    }

    @Test
    void javaScript() {
        String filter =
                "{\"type\": \"javascript\", \"dimension\": \"s\", \"function\": \"function(x) { return true; }\"}";
        checkRefused(count(", \"filter\": " + filter), ErrorCode.UNSUPPORTED, "javascript");
        String aggregator =
                "{\"type\": \"javascript\", \"name\": \"j\", \"fieldNames\": [], \"fnAggregate\": \"\", \"fnReset\":"
                        + " \"\", \"fnCombine\": \"\"}";
        checkRefused(
                count("").replace("{\"type\": \"count\", \"name\": \"n\"}", aggregator),
                ErrorCode.UNSUPPORTED,
                "javascript");
    }

    @Test
    void expressionsWithoutEnd() {
        for (String expression : List.of(
                "repeat(s, 2000000000)",
                "lpad(s, 2000000000, 'x')",
                "replace(repeat(s, 1000000), 'o', repeat('x', 1000000))")) {
            checkRefused(
                    count(", \"virtualColumns\": [{\"type\": \"expression\", \"name\": \"v\", \"outputType\":"
                            + " \"STRING\", \"expression\": \"" + expression
                            + "\"}], \"filter\": {\"type\": \"selector\", \"dimension\": \"v\","
                            + " \"value\": \"a\"}"),
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "function");
        }
    }

    @Test
    void lookupsAreThoseOfTheTable() {
        String filter = "{\"type\": \"expression\", \"expression\": \"lookup(s, 'names') == 'first'\"}";
        assertThat(actors.answer("one", count(", \"filter\": " + filter))).contains("\"n\":1");
        assertThat(actors.answer(
                        "one",
                        "{\"queryType\": \"scan\", \"dataSource\": {\"type\": \"lookup\", \"lookup\": \"names\"},"
                                + " \"intervals\": "
                                + ALL + ", \"columns\": [\"k\", \"v\"]}"))
                .contains("\"k\":\"a\",\"v\":\"first\"");
    }

    @Test
    void unknownLookups() {
        checkRefused(
                count(", \"virtualColumns\": [{\"type\": \"expression\", \"name\": \"v\", \"outputType\":"
                        + " \"STRING\", \"expression\": \"lookup(s, 'nosuch')\"}], \"filter\": {\"type\":"
                        + " \"selector\", \"dimension\": \"v\", \"value\": \"a\"}"),
                ErrorCode.INVALID_ARGUMENT,
                "nosuch");
    }

    @Test
    void aNullInALookup() {
        checkRefused(
                "{\"queryType\": \"groupBy\", \"dataSource\": \"one\", \"granularity\": \"all\", \"intervals\": " + ALL
                        + ", \"dimensions\": [{\"type\": \"extraction\", \"dimension\": \"s\", \"outputName\": \"o\","
                        + " \"extractionFn\": {\"type\": \"lookup\", \"lookup\": {\"type\": \"map\", \"map\": {\"a\":"
                        + " null}}}}], \"aggregations\": []}",
                ErrorCode.INVALID_ARGUMENT,
                "null value in entry");
    }

    @Test
    void rowsThatDoNotFit() {
        List<Document> wrong = List.of(
                new Document("id", Map.of("id", "k1", "s", "no time")),
                new Document("id", Map.of("id", "k1", "ts", "noon")),
                new Document("id", Map.of("id", "k1", "ts", Long.MAX_VALUE)),
                new Document("id", Map.of("id", "k1", "ts", 0L, "m", "three")),
                new Document("id", Map.of("id", "k1", "ts", 0L, "l", "four")),
                new Document("id", Map.of("ts", 0L)));
        for (Document row : wrong) {
            assertThatThrownBy(() -> DruidUpdateFunctions.APPEND.validate(
                            actors.actors("one").get(0), List.of(row("k9", 0, "good"), row)))
                    .as(row.toString())
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
        }
        assertThat(actors.answer("one", count(""))).contains("\"n\":4");
    }

    @Test
    void schemas() {
        checkSchema("", "no JSON object");
        checkSchema("{", "no JSON");
        checkSchema("{\"dimensionsSpec\": {}}", "timestampSpec");
        checkSchema("{\"timestampSpec\": {}, \"dimensionsSpec\": {}, \"parser\": {}}", "parser");
        checkSchema(
                "{\"timestampSpec\": {}, \"dimensionsSpec\": {}, \"metricsSpec\": [{\"type\": \"nosuch\"}]}", "nosuch");
        checkSchema(
                "{\"timestampSpec\": {}, \"dimensionsSpec\": {}, \"granularitySpec\": {\"segmentGranularity\":"
                        + " \"NONE\"}}",
                "segmentGranularity");
        checkSchema("{\"timestampSpec\": {}, \"dimensionsSpec\": {\"dimensions\": [\"a\", \"a\"]}}", "a");
        checkSchema(
                "{\"timestampSpec\": {}, \"dimensionsSpec\": {}, \"metricsSpec\": [{\"type\": \"javascript\"}]}",
                "javascript");
    }

    private static void checkSchema(String schema, String text) {
        TableMeta meta = DruidParityTest.meta("one", new Partitioner.Hash(2)).with(Map.of("dataSchema", schema));
        assertThatThrownBy(() -> new DruidEngine().validate(meta))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("dataSchema")
                .hasMessageContaining(text);
    }
}
