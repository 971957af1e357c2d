package io.uniserve.port.druid.query;

import io.uniserve.api.Document;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Random rows with hostile values, and random native queries over them, by a seed. */
final class RandomNativeQueries {
    /** The schema of all tables. */
    static final String SCHEMA = """
        {"timestampSpec": {"column": "ts", "format": "millis"},
         "dimensionsSpec": {"dimensions": ["id", "s", "multi", {"type": "long", "name": "l"},
            {"type": "double", "name": "d"}, {"type": "float", "name": "f"}]},
         "metricsSpec": [{"type": "longSum", "name": "sum", "fieldName": "m"},
            {"type": "doubleSum", "name": "exact", "fieldName": "x"},
            {"type": "doubleMax", "name": "most", "fieldName": "wild"},
            {"type": "doubleMin", "name": "least", "fieldName": "wild"},
            {"type": "thetaSketch", "name": "theta", "fieldName": "s"},
            {"type": "HLLSketchBuild", "name": "hll", "fieldName": "id"},
            {"type": "quantilesDoublesSketch", "name": "quantiles", "fieldName": "x"}],
         "granularitySpec": {"segmentGranularity": "DAY", "queryGranularity": "MINUTE", "rollup": false}}\
        """;

    private static final String[] TEXTS = {
        "a", "b", "B", "", "zz", "é", "日本", "\ud83d\ude00x", "\uffeey", "a b", "\"q\"", "null", "1", "10", "2"
    };
    private static final double[] WILD = {
        0, -0.0, 1.5, -1e300, 1e300, Double.MIN_VALUE, Double.MAX_VALUE, Double.NaN, Double.POSITIVE_INFINITY, -7.25
    };
    private static final long DAY_MS = 86_400_000L;
    private static final long START_MS = 1_704_067_200_000L;

    private final Random random;

    RandomNativeQueries(long seed) {
        random = new Random(seed);
    }

    /** Rows of eight days with days and values missing, each at a time of its own. */
    List<Document> rows(int count) {
        List<Document> rows = new ArrayList<>();
        Set<Long> times = new HashSet<>();
        while (rows.size() < count) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", "k" + random.nextInt(40));
            long day = List.of(0, 1, 2, 5, 6, 7).get(random.nextInt(6));
            long time = START_MS + day * DAY_MS + random.nextInt(1_440) * 60_000L;
            if (!times.add(time)) {
                continue;
            }
            row.put("ts", time);
            maybe(row, "s", TEXTS[random.nextInt(TEXTS.length)]);
            maybe(row, "multi", multi());
            maybe(row, "l", one(9) ? Long.MAX_VALUE - random.nextInt(2) : (long) random.nextInt(9) - 4);
            maybe(row, "d", WILD[random.nextInt(WILD.length)]);
            maybe(row, "f", (double) (random.nextInt(5) - 2) / 4);
            maybe(row, "m", (long) random.nextInt(1_000) - 300);
            maybe(row, "x", (random.nextInt(4_000) - 2_000) / 8.0);
            maybe(row, "wild", WILD[random.nextInt(WILD.length)]);
            rows.add(new Document("id", row));
        }
        return rows;
    }

    private void maybe(Map<String, Object> row, String field, Object value) {
        if (!one(7)) {
            row.put(field, one(20) ? null : value);
        }
    }

    private Object multi() {
        List<Object> values = new ArrayList<>();
        for (int left = random.nextInt(4); left > 0; left--) {
            String text = TEXTS[random.nextInt(TEXTS.length)];
            if (!values.contains(
                    text)) { // Druid's search counts repeated values once or twice, by the kind of segment.
                values.add(text);
            }
        }
        return values;
    }

    private boolean one(int of) {
        return random.nextInt(of) == 0;
    }

    @SafeVarargs
    private <T> T of(T... some) {
        return some[random.nextInt(some.length)];
    }

    /** A query that Druid answers with a defined order, or with equal rows in an undefined one. */
    String next() {
        return switch (random.nextInt(10)) {
            case 0, 1 -> timeseries();
            case 2, 3 -> topN();
            case 4, 5 -> groupBy("\"" + table() + "\"");
            case 6 -> nested();
            case 7 -> one(2) ? scan() : orderedScan();
            case 8 -> search();
            default -> of(timeBoundary(), dataSources());
        };
    }

    private String table() {
        return of("one", "one", "two", "three");
    }

    private String source() {
        return one(8) ? "{\"type\": \"union\", \"dataSources\": [\"one\", \"two\"]}" : "\"" + table() + "\"";
    }

    private String intervals() {
        return of(
                "\"2024-01-01/2024-01-09\"",
                "\"2023-01-01/2025-01-01\"",
                "\"2024-01-02T07:13/2024-01-06T19:00\"",
                "[\"2024-01-01/2024-01-02\", \"2024-01-05/2024-01-07T12:00\"]",
                "\"-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z\"");
    }

    private String common(String type, String source) {
        return "\"queryType\": \"" + type + "\", \"dataSource\": " + source + ", \"intervals\": " + intervals()
                + (one(2) ? ", \"filter\": " + filter(2) : "")
                + (one(3) ? ", \"virtualColumns\": [" + virtualColumn() + "]" : "");
    }

    private String virtualColumn() {
        return "{\"type\": \"expression\", \"name\": \"v\", \"outputType\": \"LONG\", \"expression\": "
                + of("\"l + 1\"", "\"strlen(s)\"", "\"timestamp_extract(__time, 'HOUR')\"", "\"if(l > 0, l, -1)\"")
                + "}";
    }

    private String filter(int depth) {
        if (depth > 0 && one(3)) {
            return of(
                    "{\"type\": \"and\", \"fields\": [" + filter(depth - 1) + ", " + filter(depth - 1) + "]}",
                    "{\"type\": \"or\", \"fields\": [" + filter(depth - 1) + ", " + filter(depth - 1) + "]}",
                    "{\"type\": \"not\", \"field\": " + filter(depth - 1) + "}");
        }
        String dimension = of("id", "s", "multi");
        String value = text(of("a", "b", "", "k3", "k17", "zz", "é", "\ud83d\ude00x"));
        return switch (random.nextInt(11)) {
            case 0 -> "{\"type\": \"selector\", \"dimension\": \"" + dimension + "\", \"value\": " + value + "}";
            case 1 ->
                "{\"type\": \"in\", \"dimension\": \"" + dimension + "\", \"values\": [" + value + ", \"k5\", null]}";
            case 2 ->
                "{\"type\": \"bound\", \"dimension\": \"id\", \"lower\": " + value
                        + ", \"upper\": \"zzz\", \"upperStrict\": " + random.nextBoolean() + "}";
            case 3 -> "{\"type\": \"like\", \"dimension\": \"" + dimension + "\", \"pattern\": \"k1%\"}";
            case 4 -> "{\"type\": \"regex\", \"dimension\": \"" + dimension + "\", \"pattern\": \"^[ab]\"}";
            case 5 -> "{\"type\": \"null\", \"column\": \"" + of("s", "multi", "l", "d") + "\"}";
            case 6 -> "{\"type\": \"equals\", \"column\": \"l\", \"matchValueType\": \"LONG\", \"matchValue\": 2}";
            case 7 ->
                "{\"type\": \"range\", \"column\": \"d\", \"matchValueType\": \"DOUBLE\", \"lower\": -8, \"upper\":"
                        + " 1e300}";
            case 8 -> "{\"type\": \"expression\", \"expression\": \"l % 2 == 0\"}";
            case 9 -> "{\"type\": \"columnComparison\", \"dimensions\": [\"s\", \"id\"]}";
            default ->
                "{\"type\": \"search\", \"dimension\": \"" + dimension
                        + "\", \"query\": {\"type\": \"insensitive_contains\", \"value\": \"B\"}}";
        };
    }

    private static String text(String value) {
        return "\"" + value + "\"";
    }

    private String aggregations() {
        List<String> all = new ArrayList<>(List.of(
                "{\"type\": \"longSum\", \"name\": \"sum\", \"fieldName\": \"sum\"}",
                "{\"type\": \"doubleSum\", \"name\": \"exact\", \"fieldName\": \"exact\"}"));
        List<String> more = new ArrayList<>(Arrays.asList(
                "{\"type\": \"doubleMax\", \"name\": \"most\", \"fieldName\": \"most\"}",
                "{\"type\": \"doubleMin\", \"name\": \"least\", \"fieldName\": \"least\"}",
                "{\"type\": \"longMax\", \"name\": \"lmax\", \"fieldName\": \"l\"}",
                "{\"type\": \"longMin\", \"name\": \"lmin\", \"fieldName\": \"l\"}",
                "{\"type\": \"count\", \"name\": \"n\"}",
                "{\"type\": \"thetaSketch\", \"name\": \"theta\", \"fieldName\": \"theta\"}",
                "{\"type\": \"HLLSketchMerge\", \"name\": \"hll\", \"fieldName\": \"hll\", \"round\": true}",
                "{\"type\": \"cardinality\", \"name\": \"card\", \"fields\": [\"l\", \"id\"], \"round\": true}",
                "{\"type\": \"filtered\", \"aggregator\": {\"type\": \"longSum\", \"name\": \"fsum\", \"fieldName\":"
                        + " \"sum\"}, \"filter\": "
                        + filter(1) + "}"));
        while (more.size() > 4) {
            more.remove(random.nextInt(more.size()));
        }
        all.addAll(more);
        return "\"aggregations\": [" + String.join(", ", all)
                + "], \"postAggregations\": [{\"type\": \"arithmetic\", \"name\": \"p\", \"fn\": \"+\", \"fields\":"
                + " [{\"type\": \"fieldAccess\", \"fieldName\": \"sum\"}, {\"type\": \"constant\", \"value\": 2}]},"
                + " {\"type\": \"expression\", \"name\": \"e\", \"expression\": \"sum * 2\"}]";
    }

    private String granularity() {
        return of(
                "\"all\"",
                "\"all\"",
                "\"day\"",
                "\"hour\"",
                "{\"type\": \"period\", \"period\": \"P1W\", \"timeZone\": \"Europe/Rome\"}");
    }

    private String timeseries() {
        return "{" + common("timeseries", source()) + ", \"granularity\": " + granularity() + ", " + aggregations()
                + ", \"descending\": " + random.nextBoolean() + (one(4) ? ", \"limit\": 3" : "")
                + ", \"context\": {\"skipEmptyBuckets\": " + random.nextBoolean() + ", \"grandTotal\": " + one(4)
                + "}}";
    }

    private String topN() {
        String dimension = of(
                "\"id\"",
                "\"s\"",
                "\"multi\"",
                "{\"type\": \"default\", \"dimension\": \"s\", \"outputName\": \"o\"}",
                "{\"type\": \"default\", \"dimension\": \"l\", \"outputName\": \"o\", \"outputType\": \"LONG\"}",
                "{\"type\": \"extraction\", \"dimension\": \"id\", \"outputName\": \"o\", \"extractionFn\": {\"type\":"
                        + " \"substring\", \"index\": 0, \"length\": 2}}");
        String metric = of(
                "\"exact\"",
                "{\"type\": \"inverted\", \"metric\": \"exact\"}",
                "\"p\"",
                "{\"type\": \"dimension\", \"ordering\": \"lexicographic\"}",
                "{\"type\": \"dimension\", \"ordering\": \"strlen\"}");
        return "{" + common("topN", source()) + ", \"granularity\": " + of("\"all\"", "\"day\"") + ", " + aggregations()
                + ", \"dimension\": " + dimension + ", \"metric\": " + metric + ", \"threshold\": "
                + (1 + random.nextInt(6))
                + ", \"context\": {\"minTopNThreshold\": " + 1_000 + "}}";
    }

    private String groupBy(String source) {
        List<String> dimensions = new ArrayList<>(List.of(
                "\"id\"",
                "\"s\"",
                "\"multi\"",
                "{\"type\": \"default\", \"dimension\": \"l\", \"outputName\": \"l\", \"outputType\": \"LONG\"}",
                "{\"type\": \"default\", \"dimension\": \"f\", \"outputName\": \"f\", \"outputType\": \"FLOAT\"}"));
        List<String> names = new ArrayList<>(List.of("id", "s", "multi", "l", "f"));
        while (dimensions.size() > 2) {
            int away = random.nextInt(dimensions.size());
            dimensions.remove(away);
            names.remove(away);
        }
        String columns = names.stream()
                .map(name ->
                        "{\"dimension\": \"" + name + "\", \"direction\": \"" + of("ascending", "descending") + "\"}")
                .reduce((a, b) -> a + ", " + b)
                .orElseThrow();
        String limit = switch (random.nextInt(4)) {
            case 0 -> "";
            case 1 -> ", \"limitSpec\": {\"type\": \"default\", \"columns\": [" + columns + "]}";
            case 2 -> ", \"limitSpec\": {\"type\": \"default\", \"limit\": 7, \"columns\": [" + columns + "]}";
            default ->
                ", \"limitSpec\": {\"type\": \"default\", \"limit\": 5, \"offset\": 2, \"columns\": [{\"dimension\":"
                        + " \"exact\", \"direction\": \"descending\", \"dimensionOrder\": \"numeric\"}, " + columns
                        + "]}";
        };
        return "{" + common("groupBy", source) + ", \"granularity\": " + of("\"all\"", "\"day\"") + ", "
                + aggregations()
                + ", \"dimensions\": [" + String.join(", ", dimensions) + "]" + limit
                + (one(3) ? ", \"having\": {\"type\": \"greaterThan\", \"aggregation\": \"sum\", \"value\": 100}" : "")
                + (one(5) ? ", \"subtotalsSpec\": [[\"" + names.get(0) + "\"], []]" : "") + "}";
    }

    private String nested() {
        String inner = "{\"type\": \"query\", \"query\": "
                + groupBy("\"" + table() + "\"").replace("\"subtotalsSpec\"", "\"unused\"") + "}";
        return "{\"queryType\": \"" + of("groupBy", "timeseries") + "\", \"dataSource\": " + inner
                + ", \"granularity\": \"all\", \"intervals\": \"2000/2100\", \"dimensions\": [], \"aggregations\":"
                + " [{\"type\": \"longSum\", \"name\": \"all\", \"fieldName\": \"sum\"}, {\"type\": \"count\","
                + " \"name\": \"rows\"}]}";
    }

    private String scan() {
        return scan("");
    }

    private String orderedScan() {
        return scan(", \"order\": \"" + of("ascending", "descending") + "\""
                + (one(4) ? "" : ", \"limit\": " + (1 + random.nextInt(40)))
                + (one(2) ? "" : ", \"offset\": " + random.nextInt(20)));
    }

    private String scan(String more) {
        return "{" + common("scan", "\"" + table() + "\"") + more
                + ", \"columns\": [\"__time\", \"id\", \"s\", \"multi\", \"l\", \"d\", \"f\", \"sum\", \"exact\","
                + " \"most\"], \"resultFormat\": \"" + of("list", "compactedList") + "\"}";
    }

    private String search() {
        return "{" + common("search", source()) + ", \"granularity\": \"all\", \"searchDimensions\": [\"id\", \"s\","
                + " \"multi\"], \"query\": {\"type\": \"insensitive_contains\","
                + " \"value\": "
                + of("\"k\"", "\"b\"", "\"1\"") + "}, \"sort\": {\"type\": \"" + of("lexicographic", "strlen") + "\"}}";
    }

    private String timeBoundary() {
        return "{\"queryType\": \"timeBoundary\", \"dataSource\": " + source()
                + (one(3) ? ", \"bound\": \"" + of("minTime", "maxTime") + "\"" : "") + "}";
    }

    private String dataSources() {
        String inline =
                "{\"type\": \"inline\", \"columnNames\": [\"k\", \"name\"], \"columnTypes\": [\"STRING\", \"STRING\"],"
                        + " \"rows\": [[\"k1\", \"first\"], [\"k2\", \"second\"], [\"a\", \"third\"]]}";
        String right = one(2)
                ? inline
                : "{\"type\": \"query\", \"query\": {\"queryType\": \"groupBy\", \"dataSource\": \"two\","
                        + " \"granularity\": \"all\", \"intervals\": \"2000/2100\", \"dimensions\": [{\"type\":"
                        + " \"default\", \"dimension\": \"id\", \"outputName\": \"k\"}], \"aggregations\": [{\"type\":"
                        + " \"longSum\", \"name\": \"name\", \"fieldName\": \"sum\"}]}}";
        String join = "{\"type\": \"join\", \"left\": \"one\", \"right\": " + right
                + ", \"rightPrefix\": \"r.\", \"condition\": \"" + of("id", "s") + " == \\\"r.k\\\"\", \"joinType\": \""
                + of("INNER", "LEFT") + "\"}";
        return "{\"queryType\": \"groupBy\", \"dataSource\": " + of(join, inline.replace("\"k\"", "\"id\""))
                + ", \"granularity\": \"all\", \"intervals\": \"0000/3000\", \"dimensions\": [\"id\", \"r.name\"],"
                + " \"aggregations\": [{\"type\": \"longSum\", \"name\": \"sum\", \"fieldName\": \"sum\"}]}";
    }
}
