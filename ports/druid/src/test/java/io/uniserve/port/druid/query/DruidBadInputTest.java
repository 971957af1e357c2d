package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.port.druid.DruidEngine;
import io.uniserve.port.druid.runtime.DruidErrors;
import io.uniserve.port.druid.segment.DruidActor;
import io.uniserve.port.druid.segment.DruidUpdateFunctions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.druid.query.QueryCapacityExceededException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
        checkRefused(count("").replace("\"all\"", "\"second\""), ErrorCode.TOO_LARGE, "time buckets");
    }

    @Test
    void tooManyTimeBucketsOfASegment(@TempDir Path directory) throws Exception {
        try (LocalActors day = new LocalActors(directory)) {
            day.with(DruidParityTest.rowsInMemory(DruidParityTest.meta("day", new Partitioner.Hash(1)), 10))
                    .append("day", List.of(row("k1", 0, "a"), row("k2", 23 * 3_600_000L, "b")), 10);
            String query = "{\"queryType\": \"topN\", \"dataSource\": \"day\", \"intervals\": " + ALL
                    + ", \"granularity\": \"none\", \"dimension\": \"s\", \"metric\": \"n\", \"threshold\": 3,"
                    + " \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}]}";
            assertRefused(() -> day.answer("day", query), ErrorCode.TOO_LARGE, "time buckets");
            assertThat(day.answer("day", query.replace("\"none\"", "\"hour\""))).contains("\"a\"", "\"b\"");
        }
    }

    private static void assertRefused(ThrowingCallable call, ErrorCode code, String text) {
        assertThatThrownBy(call).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
            assertThat(e.getMessage()).contains(text);
        });
    }

    @Test
    void scansWithoutEnd(@TempDir Path directory) throws Exception {
        try (LocalActors large = new LocalActors(directory)) {
            List<Document> rows = new ArrayList<>();
            String text = "x".repeat(1 << 20);
            for (int i = 0; i < 30; i++) {
                rows.add(row("k" + i, i * 60_000L, text));
            }
            large.with(DruidParityTest.rowsInMemory(DruidParityTest.meta("large", new Partitioner.Hash(1)), 100))
                    .append("large", rows, 30);
            String query = "{\"queryType\": \"scan\", \"dataSource\": \"large\", \"intervals\": " + ALL
                    + ", \"columns\": [\"s\"]%s}";
            assertRefused(() -> large.answer("large", query.formatted("")), ErrorCode.TOO_LARGE, "use a limit");
            assertThat(large.answer("large", query.formatted(", \"limit\": 1"))).contains("xxx");
        }
    }

    @Test
    void exhaustedMergeBuffers() {
        assertRefused(
                () -> DruidErrors.DRUID.run("wait for a merge buffer", () -> {
                    throw new QueryCapacityExceededException(1);
                }),
                ErrorCode.RESOURCE_EXHAUSTED,
                "");
    }

    @Test
    void lookupsThatDiffer(@TempDir Path directory) throws Exception {
        try (LocalActors both = new LocalActors(directory)) {
            TableMeta other = DruidParityTest.meta("other", new Partitioner.Hash(1));
            Map<String, String> options = new HashMap<>(other.options());
            options.put("lookups", "{\"names\": {\"a\": \"another\"}}");
            both.with(DruidParityTest.meta("one", new Partitioner.Hash(1))).with(other.with(options));
            String union = "{\"type\": \"union\", \"dataSources\": [\"one\", \"other\"]}";
            assertRefused(
                    () -> both.answer("one", count("").replace("\"one\"", union)),
                    ErrorCode.INVALID_ARGUMENT,
                    "lookup \"names\" of table other differs");
            both.with(DruidParityTest.meta("other", new Partitioner.Hash(1)));
            assertThat(both.answer("one", count("").replace("\"one\"", union))).contains("\"n\":0");
        }
    }

    @Test
    void queriesOfTypeUnion() {
        checkRefused(
                "{\"queryType\": \"union\", \"context\": {}, \"queries\": [" + count("") + ", " + count("") + "]}",
                ErrorCode.UNSUPPORTED,
                "queryType union");
    }

    @Test
    void rowsThatTheIndexRefuses(@TempDir Path directory) throws Exception {
        try (LocalActors sketches = new LocalActors(directory)) {
            TableMeta meta = DruidParityTest.rowsInMemory(DruidParityTest.meta("one", new Partitioner.Hash(1)), 10);
            sketches.with(meta);
            DruidActor actor = sketches.actors("one").get(0);
            Document row = new Document("id", Map.of("id", "k1", "ts", 0L, "s", Map.of("a", 1L)));
            assertThatThrownBy(() -> DruidUpdateFunctions.APPEND.update(actor, new UpdateContext(1), List.of(row)))
                    .isInstanceOf(UniserveException.class);
            actor.publish();
            assertThat(sketches.answer("one", count(""))).contains("\"n\":0");
            Path checkpoint = Files.createDirectories(directory.resolve("checkpoint"));
            actor.writeTo(checkpoint);
            DruidActor.restore(
                            new ActorContext(meta, 0, Files.createDirectories(directory.resolve("restored"))),
                            checkpoint)
                    .close();
        }
    }

    @Test
    void rowsStoredOutsideOfTheirChunk(@TempDir Path directory) throws Exception {
        TableMeta days = DruidParityTest.meta("days", DruidParityTest.DAYS);
        Document row = row("k1", 1_704_067_200_000L, "a");
        String shift = "\"transformSpec\": {\"transforms\": [{\"type\": \"expression\", \"name\": \"__time\","
                + " \"expression\": \"timestamp_shift(__time, 'P1D', 1)\"}]}, ";
        try (LocalActors shifted = new LocalActors(directory.resolve("shifted"))) {
            shifted.with(
                    withSchema(days, RandomNativeQueries.SCHEMA.replace("\"metricsSpec", shift + "\"metricsSpec")));
            assertRefused(() -> shifted.append("days", List.of(row), 1), ErrorCode.INVALID_ROW, "in another chunk");
        }
        try (LocalActors iso = new LocalActors(directory.resolve("iso"))) {
            iso.with(withSchema(days, RandomNativeQueries.SCHEMA.replace("millis", "iso")));
            assertRefused(
                    () -> iso.append("days", List.of(row("k1", 2024, "a")), 1),
                    ErrorCode.INVALID_ROW,
                    "in another chunk");
            iso.append("days", List.of(new Document("id", Map.of("id", "k1", "ts", "2024-01-01T10:30:00Z"))), 1);
            Document noOffset = new Document("id", Map.of("id", "k1", "ts", "2024-01-01T10:30:00"));
            assertRefused(
                    () -> DruidUpdateFunctions.REPLACE_EVERYWHERE.validate(
                            iso.actors("days").get(0), List.of(noOffset)),
                    ErrorCode.INVALID_ROW,
                    "ts");
        }
    }

    @Test
    void rowsStoredBeforeTheirChunk(@TempDir Path directory) throws Exception {
        Partitioner.Time hours = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
                1,
                Optional.empty(),
                IsoPeriod.parse("ahead", "P1D"));
        try (LocalActors coarse = new LocalActors(directory)) {
            coarse.with(withSchema(
                            DruidParityTest.meta("one", hours), RandomNativeQueries.SCHEMA.replace("MINUTE", "DAY")))
                    .append("one", List.of(row("k1", 1_704_067_200_000L + 10 * 3_600_000L, "a")), 1);
            assertThat(coarse.answer("one", count("").replace(ALL, "\"2024-01-01T00/PT1H\"")))
                    .contains("\"n\":1");
            assertThat(coarse.answer("one", count("").replace(ALL, "\"2023-12-31/P1D\"")))
                    .contains("\"n\":0");
        }
    }

    private static TableMeta withSchema(TableMeta meta, String schema) {
        Map<String, String> options = new HashMap<>(meta.options());
        options.put("dataSchema", schema);
        return meta.with(options);
    }

    @Test
    void replacementsInOneActorOfSeveral(@TempDir Path directory) throws Exception {
        try (LocalActors days = new LocalActors(directory)) {
            Document row = row("k1", 1_704_067_200_000L, "a");
            days.with(DruidParityTest.meta("days", DruidParityTest.DAYS)).append("days", List.of(row), 1);
            DruidActor actor = days.actors("days").get(0);
            assertRefused(
                    () -> DruidUpdateFunctions.REPLACE.validate(actor, List.of(row)),
                    ErrorCode.UNSUPPORTED,
                    "chunks of time");
            Document interval = new Document("id", Map.of("id", "any", "interval", "2024-01-01/2024-01-02"));
            assertRefused(
                    () -> DruidUpdateFunctions.DELETE.validate(actor, List.of(interval)),
                    ErrorCode.UNSUPPORTED,
                    "unique-key");
            DruidUpdateFunctions.DELETE_EVERYWHERE.validate(actor, List.of(interval));
        }
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
                "format(concat('%2000000000s', s), s)",
                "format(concat('%.999999999f', s), 1.5)",
                "format(repeat('%1$s', 10000), repeat(s, 10000))",
                "regexp_replace(repeat(s, 1000000), '[a-z]', repeat('x', 1000000))",
                "regexp_replace(repeat(s, 1000000), '(?=([a-z]+))', '$1')",
                "replace(repeat(s, 1000000), 'o', repeat('x', 1000000))")) {
            checkRefused(
                    count(", \"virtualColumns\": [{\"type\": \"expression\", \"name\": \"v\", \"outputType\":"
                            + " \"STRING\", \"expression\": \"" + expression
                            + "\"}], \"filter\": {\"type\": \"selector\", \"dimension\": \"v\","
                            + " \"value\": \"a\"}"),
                    ErrorCode.TOO_LARGE,
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
        checkSchema("", "not a JSON object");
        checkSchema("{", "not JSON");
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
