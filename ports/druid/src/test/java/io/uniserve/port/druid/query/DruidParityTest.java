package io.uniserve.port.druid.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.uniserve.api.Document;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.port.druid.runtime.DruidServices;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random queries over hostile rows give the answers of one Druid with all rows in one segment. */
class DruidParityTest {
    private static final int QUERIES = Boolean.getBoolean("uniserve.test.full") ? 2_000 : 150;
    private static final int ROWS = 300;
    private static final int CONTEXT = 120;

    private static final long START = 1_704_067_200_000L;
    private static final long DAY = 86_400_000;

    static final Partitioner.Time DAYS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
            2,
            Optional.empty(),
            IsoPeriod.parse("ahead", "P1D"));

    private static LocalActors actors;
    private static OneDruid one;

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        actors = new LocalActors(directory);
        one = new OneDruid();
        for (String name : List.of("one", "two", "three")) {
            TableMeta meta = meta(name, name.equals("two") ? DAYS : new Partitioner.Hash(name.equals("one") ? 6 : 2));
            if (name.equals("three")) {
                meta = rowsInMemory(meta, 16);
            }
            List<Document> rows = new RandomNativeQueries(name.hashCode()).rows(ROWS);
            actors.with(meta).append(name, rows, 97);
            one.with(meta, rows, directory);
        }
    }

    static TableMeta meta(String name, Partitioner partitioner) {
        return new TableMeta(
                new TableName(name),
                1,
                partitioner,
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "druid",
                Map.of(
                        "dataSchema",
                        RandomNativeQueries.SCHEMA,
                        "maxRowsInMemory",
                        "1",
                        "lookups",
                        "{\"names\": {\"a\": \"first\", \"b\": \"second\"}}"));
    }

    /** A table whose actors have rows in segments and rows in memory. */
    static TableMeta rowsInMemory(TableMeta meta, int rows) {
        Map<String, String> options = new HashMap<>(meta.options());
        options.put("maxRowsInMemory", Integer.toString(rows));
        return meta.with(options);
    }

    @AfterAll
    static void close() {
        actors.close();
    }

    @Test
    void answersAreThoseOfOneDruid() throws Exception {
        long first = Long.getLong("uniserve.parity.seed", 0);
        List<String> wrong = new ArrayList<>();
        for (long seed = first; seed < first + QUERIES; seed++) {
            String query = new RandomNativeQueries(seed).next();
            JsonNode expected = normalized(query, one.answer(query));
            try {
                JsonNode found = normalized(query, DruidServices.get().json().readTree(actors.answer("one", query)));
                if (!found.equals(expected)) {
                    wrong.add("seed " + seed + ": " + query + difference(expected.toString(), found.toString()));
                }
            } catch (UniserveException e) {
                wrong.add("seed " + seed + ": " + query + "\n  " + e);
            }
        }
        assertThat(wrong).as("%d of %d answers differ", wrong.size(), QUERIES).isEmpty();
    }

    @Test
    void anIntervalAsksTheActorsOfItsChunks() {
        String query =
                "{\"queryType\": \"timeseries\", \"dataSource\": \"two\", \"granularity\": \"all\", \"intervals\": \"%s\","
                        + " \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}]}";
        int before = actors.asked();
        assertThat(actors.answer("two", query.formatted("2024-01-03/2024-01-04")))
                .contains("\"n\"");
        assertThat(actors.asked() - before).isEqualTo(2);
        assertThat(actors.answer("two", query.formatted("2031-01-01/2032-01-01")))
                .contains("\"n\":0");
        assertThat(actors.asked() - before).isEqualTo(2);
        actors.answer("two", query.formatted("2000-01-01/2032-01-01"));
        assertThat(actors.asked() - before).isEqualTo(2 + actors.actors("two").size());
    }

    @Test
    void orderedScansReadLateRows(@TempDir Path directory) throws Exception {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            rows.add(new Document("id", Map.of("id", "k" + i, "ts", START + i / 4 * DAY + DAY / 2 + i * 60_000L)));
        }
        rows.add(new Document("id", Map.of("id", "late", "ts", START)));
        try (LocalActors late = new LocalActors(directory)) {
            late.with(rowsInMemory(meta("late", new Partitioner.Hash(1)), 4)).append("late", rows, 1);
            String query =
                    "{\"queryType\": \"scan\", \"dataSource\": \"late\", \"intervals\": \"2024/2025\", \"limit\": 3,"
                            + " \"columns\": [\"__time\", \"id\"], \"order\": \"%s\"}";
            assertThat(ids(late.answer("late", query.formatted("ascending")))).containsExactly("late", "k0", "k1");
            assertThat(ids(late.answer("late", query.formatted("descending")))).containsExactly("k11", "k10", "k9");
        }
    }

    @Test
    void topNsOverNumbers(@TempDir Path directory) throws Exception {
        List<Document> rows = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            rows.add(new Document(
                    "id", Map.of("id", "k" + i, "ts", START + i * 60_000L, "l", i % 2 == 0 ? 5L : 5_000_000_000L)));
        }
        try (LocalActors numbers = new LocalActors(directory)) {
            numbers.with(meta("numbers", new Partitioner.Hash(8))).append("numbers", rows, 7);
            String query =
                    "{\"queryType\": \"topN\", \"dataSource\": \"numbers\", \"intervals\": \"2024/2025\", \"granularity\":"
                            + " \"all\", \"dimension\": {\"type\": \"default\", \"dimension\": \"l\", \"outputType\": \"LONG\"},"
                            + " \"threshold\": 9, \"metric\": \"n\", \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}],"
                            + " \"context\": {\"useApproximateTopN\": %s}}";
            for (boolean approximate : List.of(false, true)) {
                JsonNode values = DruidServices.get()
                        .json()
                        .readTree(numbers.answer("numbers", query.formatted(approximate)))
                        .get(0)
                        .get("result");
                assertThat(values).as("%s", approximate).hasSize(2);
                values.forEach(value -> assertThat(value.get("n").asInt()).isEqualTo(10));
            }
        }
    }

    @Test
    void topNsOverUnionsInSubqueries(@TempDir Path directory) throws Exception {
        try (LocalActors unions = new LocalActors(directory)) {
            for (String table : List.of("a", "b")) {
                List<Document> rows = new ArrayList<>();
                for (int i = 0; i < 1_000; i++) {
                    rows.add(new Document("id", Map.of("id", table + i, "ts", START, "m", 10L)));
                }
                rows.add(new Document("id", Map.of("id", "both", "ts", START, "m", 9L)));
                unions.with(rowsInMemory(meta(table, new Partitioner.Hash(1)), 5_000))
                        .append(table, rows, 5_000);
            }
            String topN =
                    "{\"queryType\": \"topN\", \"dataSource\": {\"type\": \"union\", \"dataSources\": [\"a\", \"b\"]},"
                            + " \"intervals\": \"2024/2025\", \"granularity\": \"all\", \"dimension\": \"id\", \"threshold\": 1,"
                            + " \"metric\": \"sum\", \"aggregations\": [{\"type\": \"longSum\", \"name\": \"sum\", \"fieldName\":"
                            + " \"sum\"}]}";
            String outer = "{\"queryType\": \"groupBy\", \"dataSource\": {\"type\": \"query\", \"query\": " + topN
                    + "}, \"intervals\": \"2000/2100\", \"granularity\": \"all\", \"dimensions\": [\"id\"],"
                    + " \"aggregations\": [{\"type\": \"longSum\", \"name\": \"all\", \"fieldName\": \"sum\"}]}";
            assertThat(unions.answer("a", topN)).contains("\"both\"");
            assertThat(unions.answer("a", outer)).contains("\"both\"", "\"all\":18");
        }
    }

    private static List<String> ids(String scan) throws Exception {
        List<String> ids = new ArrayList<>();
        DruidServices.get()
                .json()
                .readTree(scan)
                .forEach(batch ->
                        batch.get("events").forEach(row -> ids.add(row.get("id").asText())));
        return ids;
    }

    private static String difference(String expected, String found) {
        int at = 0;
        while (at < Math.min(expected.length(), found.length()) && expected.charAt(at) == found.charAt(at)) {
            at++;
        }
        int from = Math.max(0, at - CONTEXT);
        return "\n  expected " + expected.substring(from, Math.min(expected.length(), at + CONTEXT)) + "\n  found    "
                + found.substring(from, Math.min(found.length(), at + CONTEXT));
    }

    /**
     * Scans without an order are compared as sets of rows, and names of segments do not matter. Times of searches and of granularity ALL
     * are those of any segment in Druid.
     */
    private static JsonNode normalized(String query, JsonNode answer) {
        if (query.contains("\"search\", \"dataSource\"") || query.contains("\"granularity\": \"all\"")) {
            answer.forEach(result -> ((ObjectNode) result).remove("timestamp"));
        }
        if (answer.size() == 0 || !answer.get(0).has("segmentId")) {
            return answer;
        }
        List<String> rows = new ArrayList<>();
        for (JsonNode batch : answer) {
            batch.get("events").forEach(row -> rows.add(row.toString()));
        }
        if (!query.contains("\"order\": \"")) {
            rows.sort(null);
        }
        return DruidServices.get().json().valueToTree(rows);
    }
}
