package io.uniserve.benchmark.druid;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.uniserve.cli.command.Console;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Queries of the benchmark: those of Druid's TPC-H benchmark, a groupBy of two dimensions, and a page of rows. */
final class DruidQueries {
    static final String ALL_TIME = "1992-01-01/1999-01-01";
    /** Above the number of parts of scale 10: below it Druid's topN is exact. */
    private static final int EXACT_THRESHOLD = 2_000_000;

    private static final int TOP = 100;
    private static final int PAGE_PARTS = 10;
    private static final int PAGE_ROWS = 1_000;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private DruidQueries() {}

    /** Names of the queries that have goals. */
    static final List<String> MEASURED = List.of(
            "sum_all",
            "top_100_parts_details",
            "top_100_parts_details_approximate",
            "top_100_commitdate",
            "group_modes",
            "scan_page");

    /** Returns all queries of a data source. */
    static List<DruidQuery> all(String dataSource) {
        return List.of(
                new DruidQuery("count_star_interval", count(dataSource, "1992-01-03/1998-11-30"), true),
                new DruidQuery(
                        "sum_price", timeseries(dataSource, ALL_TIME, "all", null, List.of("l_extendedprice")), true),
                sumAll(dataSource, ALL_TIME),
                new DruidQuery("sum_all_year", timeseries(dataSource, ALL_TIME, "year", null, sums()), true),
                new DruidQuery(
                        "sum_all_filter",
                        timeseries(
                                dataSource,
                                ALL_TIME,
                                "all",
                                Map.of("type", "like", "dimension", "l_shipmode", "pattern", "%AIR%"),
                                sums()),
                        true),
                new DruidQuery(
                        "top_100_parts", topParts(dataSource, ALL_TIME, List.of("l_quantity"), false, true), true),
                new DruidQuery(
                        "top_100_parts_details", topParts(dataSource, ALL_TIME, sumsOfParts(), true, true), true),
                new DruidQuery(
                        "top_100_parts_details_approximate",
                        topParts(dataSource, ALL_TIME, sumsOfParts(), true, false),
                        false),
                new DruidQuery(
                        "top_100_parts_filter",
                        topParts(dataSource, "1996-01-15/1998-03-15", sumsOfParts(), true, true),
                        true),
                new DruidQuery(
                        "top_100_commitdate",
                        topN(dataSource, ALL_TIME, "l_commitdate", aggregations(List.of("l_quantity")), true),
                        true),
                new DruidQuery("group_modes", groupModes(dataSource), true),
                new DruidQuery("scan_page", scanPage(dataSource), true));
    }

    /** Returns the queries with these names. Fails with INVALID_ARGUMENT for another name. */
    static List<DruidQuery> named(String dataSource, List<String> names) {
        List<DruidQuery> all = all(dataSource);
        return names.stream()
                .map(name -> all.stream()
                        .filter(query -> query.name().equals(name))
                        .findFirst()
                        .orElseThrow(() -> UniserveException.invalid("query \"" + name + "\" is not known: use "
                                + String.join(
                                        ", ", all.stream().map(DruidQuery::name).toList()))))
                .toList();
    }

    /** Returns the sums of all metrics over an interval. */
    static DruidQuery sumAll(String dataSource, String interval) {
        return new DruidQuery("sum_all", timeseries(dataSource, interval, "all", null, sums()), true);
    }

    /** Returns the parts with the largest quantities in one chunk, with details. */
    static DruidQuery partsOfChunk(String dataSource, LineitemChunks.Chunk chunk) {
        return new DruidQuery(
                "top_100_parts_details of " + chunk.month(),
                topParts(dataSource, chunk.interval(), sumsOfParts(), true, true),
                true);
    }

    /** Returns the count of all rows. */
    static String count(String dataSource) {
        return count(dataSource, ALL_TIME);
    }

    private static String count(String dataSource, String interval) {
        Map<String, @Nullable Object> query = query("timeseries", dataSource, interval);
        query.put("granularity", "all");
        query.put("aggregations", List.of(Map.of("type", "count", "name", "rows")));
        return Console.toJson(query);
    }

    /** Returns the number in the answer of {@link #count(String)}; 0 if it has no row. */
    static long countOf(String answer) {
        return first(answer).path("rows").asLong();
    }

    /** Returns the sum of l_quantity in the answer of {@link #sumAll}. */
    static long quantityOf(String answer) {
        return first(answer).path("l_quantity").asLong();
    }

    private static JsonNode first(String answer) {
        try {
            return JSON.readTree(answer).path(0).path("result");
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "the answer is not JSON: " + answer, e);
        }
    }

    private static List<String> sums() {
        return List.of("l_extendedprice", "l_discount", "l_tax", "l_quantity");
    }

    private static List<String> sumsOfParts() {
        return List.of("l_quantity", "l_extendedprice");
    }

    private static String timeseries(
            String dataSource,
            String interval,
            String granularity,
            @Nullable Map<String, String> filter,
            List<String> sums) {
        Map<String, @Nullable Object> query = query("timeseries", dataSource, interval);
        query.put("granularity", granularity);
        if (filter != null) {
            query.put("filter", filter);
        }
        query.put("aggregations", aggregations(sums));
        return Console.toJson(query);
    }

    private static String topParts(
            String dataSource, String interval, List<String> sums, boolean details, boolean exact) {
        List<Map<String, @Nullable Object>> aggregations = new ArrayList<>(aggregations(sums));
        if (details) {
            aggregations.add(aggregation("doubleMin", "min_discount", "l_discount"));
            aggregations.add(aggregation("doubleMax", "max_discount", "l_discount"));
        }
        return topN(dataSource, interval, "l_partkey", aggregations, exact);
    }

    private static String topN(
            String dataSource,
            String interval,
            String dimension,
            List<Map<String, @Nullable Object>> aggregations,
            boolean exact) {
        Map<String, @Nullable Object> query = query("topN", dataSource, interval);
        query.put("granularity", "all");
        query.put("dimension", dimension);
        query.put("metric", "l_quantity");
        query.put("threshold", TOP);
        query.put("aggregations", aggregations);
        query.put("context", exact ? Map.of("minTopNThreshold", EXACT_THRESHOLD) : Map.of("useApproximateTopN", true));
        return Console.toJson(query);
    }

    private static String groupModes(String dataSource) {
        Map<String, @Nullable Object> query = query("groupBy", dataSource, ALL_TIME);
        query.put("granularity", "all");
        query.put("dimensions", List.of("l_shipmode", "l_shipinstruct"));
        query.put("aggregations", aggregations(sumsOfParts()));
        return Console.toJson(query);
    }

    /** All rows of ten parts, about 300, from all segments. */
    private static String scanPage(String dataSource) {
        Map<String, @Nullable Object> query = query("scan", dataSource, ALL_TIME);
        List<String> parts = new ArrayList<>();
        for (int part = 1; part <= PAGE_PARTS; part++) {
            parts.add(Integer.toString(part));
        }
        query.put("filter", Map.of("type", "in", "dimension", "l_partkey", "values", parts));
        query.put("columns", columns());
        query.put("limit", PAGE_ROWS);
        return Console.toJson(query);
    }

    private static List<String> columns() {
        List<String> columns = new ArrayList<>(List.of("__time"));
        columns.addAll(LineitemChunks.DIMENSIONS);
        columns.addAll(LineitemChunks.METRICS.keySet());
        return columns;
    }

    private static Map<String, @Nullable Object> query(String type, String dataSource, String... intervals) {
        Map<String, @Nullable Object> query = new LinkedHashMap<>();
        query.put("queryType", type);
        query.put("dataSource", dataSource);
        query.put("intervals", Arrays.asList(intervals));
        return query;
    }

    private static List<Map<String, @Nullable Object>> aggregations(List<String> sums) {
        return sums.stream()
                .map(name -> aggregation(LineitemChunks.METRICS.getOrDefault(name, "doubleSum"), name, name))
                .toList();
    }

    private static Map<String, @Nullable Object> aggregation(String type, String name, String field) {
        Map<String, @Nullable Object> aggregation = new LinkedHashMap<>();
        aggregation.put("type", type);
        aggregation.put("name", name);
        aggregation.put("fieldName", field);
        return aggregation;
    }
}
