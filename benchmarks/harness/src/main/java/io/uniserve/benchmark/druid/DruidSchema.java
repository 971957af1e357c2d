package io.uniserve.benchmark.druid;

import io.uniserve.cli.command.Console;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Schema of the rows as Druid's own JSON: the same dimensions, metrics and granularity on both sides. */
final class DruidSchema {
    private DruidSchema() {}

    /** Returns the {@code dataSchema} of a table: no roll-up, so that each side has every row. */
    static String dataSchema(String dataSource) {
        Map<String, @Nullable Object> schema = new LinkedHashMap<>();
        schema.put("dataSource", dataSource);
        schema.put("timestampSpec", Map.of("column", LineitemChunks.TIME, "format", "auto"));
        schema.put("dimensionsSpec", Map.of("dimensions", LineitemChunks.DIMENSIONS));
        schema.put("metricsSpec", metrics());
        schema.put(
                "granularitySpec",
                Map.of("type", "uniform", "segmentGranularity", "MONTH", "queryGranularity", "NONE", "rollup", false));
        return Console.toJson(schema);
    }

    private static List<Map<String, @Nullable Object>> metrics() {
        List<Map<String, @Nullable Object>> metrics = new ArrayList<>();
        LineitemChunks.METRICS.forEach((name, type) -> {
            Map<String, @Nullable Object> metric = new LinkedHashMap<>();
            metric.put("type", type);
            metric.put("name", name);
            metric.put("fieldName", name);
            metrics.add(metric);
        });
        return metrics;
    }

    /**
     * Returns the request that builds one segment per chunk and publishes all.
     *
     * @param deep directory of deep storage
     * @param metadata JDBC address of Druid's metadata
     */
    static String segmentRequest(
            String dataSource, List<LineitemChunks.Chunk> chunks, String deep, String version, String metadata) {
        Map<String, @Nullable Object> request = new LinkedHashMap<>();
        request.put("dataSource", dataSource);
        request.put("columns", LineitemChunks.COLUMNS);
        request.put("timestamp", LineitemChunks.TIME);
        request.put("dimensions", LineitemChunks.DIMENSIONS);
        request.put("metrics", metrics());
        request.put("rollup", false);
        request.put("directory", deep);
        request.put("version", version);
        request.put("metadata", metadata);
        request.put(
                "parts",
                chunks.stream()
                        .map(chunk -> Map.of(
                                "file",
                                chunk.file().toString(),
                                "interval",
                                chunk.interval(),
                                "partition",
                                0,
                                "partitions",
                                1))
                        .toList());
        return Console.toJson(request);
    }
}
