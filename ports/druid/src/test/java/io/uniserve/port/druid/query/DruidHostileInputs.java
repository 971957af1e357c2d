package io.uniserve.port.druid.query;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.uniserve.api.Document;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.testkit.tck.HostileCode;
import io.uniserve.testkit.tck.HostileInput;
import io.uniserve.testkit.tck.HostileTargets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** Queries and schemas of published faults of Druid, and others of their kinds. */
public final class DruidHostileInputs {
    /** Code that leaves a mark if it is run. */
    private static final String CODE =
            "function(x) { java.lang.System.setProperty('" + HostileCode.PROPERTY + "', 'true'); return x }";

    /** The field that took the place of the server's configuration of JavaScript in CVE-2021-25646. */
    private static final String INJECTED = ", \"\": {\"enabled\": true}";

    private final HostileTargets targets;
    private final List<HostileInput> all = new ArrayList<>();

    private DruidHostileInputs(HostileTargets targets) {
        this.targets = targets;
    }

    /** Returns the inputs, for a table {@code tck} with this schema. */
    public static List<HostileInput> of(HostileTargets targets, String schema) {
        DruidHostileInputs inputs = new DruidHostileInputs(targets);
        inputs.addCode("");
        inputs.addCode(INJECTED);
        inputs.addSources();
        inputs.addSql();
        inputs.addSchemas(schema);
        return inputs.all;
    }

    /** Adds a native query, for the planner and for an actor. */
    private void add(String name, String query, String... named) {
        all.add(HostileInput.query(name, query, named));
        all.add(HostileInput.sent(name + ", at an actor", SegmentQueryCalls.RESULTS.id(), smile(query), named));
    }

    private static Bytes smile(String query) {
        try {
            DruidServices services = DruidServices.get();
            byte[] encoded = services.smile().writeValueAsBytes(services.json().readTree(query));
            CRC32 crc = new CRC32();
            crc.update(encoded);
            return new BinaryWriter()
                    .writeBytes(Bytes.wrap(encoded))
                    .writeLong(crc.getValue())
                    .toBytes();
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(query, e);
        }
    }

    private static String timeseries(String more) {
        return "{\"queryType\": \"timeseries\", \"dataSource\": \"tck\", \"granularity\": \"all\","
                + " \"intervals\": \"1970/2100\"" + more + "}";
    }

    private static String count() {
        return ", \"aggregations\": [{\"type\": \"count\", \"name\": \"n\"}]";
    }

    private void addCode(String injected) {
        String js = "{\"type\": \"javascript\", \"function\": \"" + CODE + "\"" + injected;
        String aggregator = "{\"type\": \"javascript\", \"name\": \"a\", \"fieldNames\": [\"n\"], \"fnAggregate\": \""
                + CODE + "\", \"fnCombine\": \"" + CODE + "\", \"fnReset\": \"" + CODE + "\"" + injected + "}";
        String suffix = injected.isEmpty() ? "" : " CVE-2021-25646";
        add("filter" + suffix, timeseries(count() + ", \"filter\": " + js + ", \"dimension\": \"id\"}"), "javascript");
        add(
                "nested filter" + suffix,
                timeseries(
                        count() + ", \"filter\": {\"type\": \"not\", \"field\": " + js + ", \"dimension\": \"id\"}}"),
                "javascript");
        add("aggregator" + suffix, timeseries(", \"aggregations\": [" + aggregator + "]"), "javascript");
        add(
                "filtered aggregator" + suffix,
                timeseries(", \"aggregations\": [{\"type\": \"filtered\", \"filter\": " + js
                        + ", \"dimension\": \"id\"}, \"aggregator\": {\"type\": \"count\", \"name\": \"n\"}}]"),
                "javascript");
        add(
                "post-aggregator" + suffix,
                timeseries(count() + ", \"postAggregations\": [" + js + ", \"name\": \"p\", \"fieldNames\": [\"n\"]}]"),
                "javascript");
        add(
                "extraction" + suffix,
                "{\"queryType\": \"topN\", \"dataSource\": \"tck\", \"granularity\": \"all\","
                        + " \"intervals\": \"1970/2100\", \"metric\": \"n\", \"threshold\": 3, \"dimension\": {\"type\":"
                        + " \"extraction\", \"dimension\": \"id\", \"outputName\": \"o\", \"extractionFn\": " + js
                        + "}}" + count()
                        + "}",
                "javascript");
        add(
                "search" + suffix,
                "{\"queryType\": \"search\", \"dataSource\": \"tck\", \"intervals\": \"1970/2100\","
                        + " \"searchDimensions\": [{\"type\": \"extraction\", \"dimension\": \"id\", \"outputName\": \"o\","
                        + " \"extractionFn\": " + js + "}}], \"query\": {\"type\": \"all\"}}",
                "javascript");
        add(
                "capitals" + suffix,
                timeseries(count() + ", \"filter\": " + js.replace("javascript", "JavaScript")
                        + ", \"dimension\": \"id\"}"),
                "");
        add(
                "escapes" + suffix,
                timeseries(count() + ", \"filter\": " + js.replace("javascript", "java\\u0073cript")
                        + ", \"dimension\": \"id\"}"),
                "javascript");
        add(
                "in a subquery" + suffix,
                "{\"queryType\": \"groupBy\", \"dataSource\": {\"type\": \"query\", \"query\": "
                        + "{\"queryType\": \"groupBy\", \"dataSource\": \"tck\", \"granularity\": \"all\", \"intervals\":"
                        + " \"1970/2100\", \"dimensions\": [\"id\"], \"filter\": " + js + ", \"dimension\": \"id\"}}},"
                        + " \"granularity\": \"all\", \"intervals\": \"1970/2100\", \"dimensions\": [\"id\"]}",
                "javascript");
    }

    private void addSources() {
        String file = targets.canary().toUri().toString();
        String external = "{\"type\": \"external\", \"inputSource\": {\"type\": \"http\", \"uris\": [\"" + targets.url()
                + "\"]}, \"inputFormat\": {\"type\": \"csv\", \"findColumnsFromHeader\": true}, \"signature\": []}";
        add("external source CVE-2021-26919", timeseries(count()).replace("\"tck\"", external), "");
        add("local source", timeseries(count()).replace("\"tck\"", "{\"type\": \"local\", \"baseDir\": \"/etc\"}"), "");
        add(
                "lookup of a URI",
                timeseries(count() + ", \"filter\": {\"type\": \"selector\", \"dimension\": \"id\","
                        + " \"value\": \"x\", \"extractionFn\": {\"type\": \"lookup\", \"lookup\": {\"type\": \"cachedNamespace\","
                        + " \"extractionNamespace\": {\"type\": \"uri\", \"uri\": \"" + file + "\"}}}}"),
                "");
        add(
                "lookup of JDBC CVE-2021-26919",
                timeseries(count() + ", \"filter\": {\"type\": \"selector\", \"dimension\":"
                        + " \"id\", \"value\": \"x\", \"extractionFn\": {\"type\": \"lookup\", \"lookup\": {\"type\":"
                        + " \"loadingLookup\", \"dataFetcher\": {\"type\": \"jdbcDataFetcher\", \"connectorConfig\":"
                        + " {\"connectURI\": \"jdbc:mysql://" + targets.url().substring(7) + "a\"}}}}}"),
                "");
        add(
                "registered lookup",
                timeseries(
                        count() + ", \"filter\": {\"type\": \"selector\", \"dimension\": \"id\","
                                + " \"value\": \"x\", \"extractionFn\": {\"type\": \"registeredLookup\", \"lookup\": \"../x\"}}"),
                "");
        all.add(HostileInput.query("class name", "{\"queryType\": \"" + HostileCode.class.getName() + "\"}", ""));
        all.add(HostileInput.query(
                "class of another mapper",
                timeseries(count() + ", \"context\": {\"a\": [\"" + HostileCode.class.getName() + "\", {}]}")));
        String traversal = "/../../" + HostileTargets.traversal(targets.target());
        String spilling =
                "{\"queryType\": \"groupBy\", \"dataSource\": \"tck\", \"granularity\": \"all\", \"intervals\":"
                        + " \"1970/2100\", \"dimensions\": [\"id\", \"n\"]" + count()
                        + ", \"context\": {\"queryId\": \""
                        + traversal + "\", \"bufferGrouperMaxSize\": 1, \"maxOnDiskStorage\": 100000000}}";
        all.add(HostileInput.query("path in queryId", spilling));
        all.add(HostileInput.sent("path in queryId, at an actor", SegmentQueryCalls.RESULTS.id(), smile(spilling)));
    }

    private void addSql() {
        String file = targets.canary().toString();
        Map<String, String> statements = new LinkedHashMap<>();
        statements.put(
                "SELECT * FROM TABLE(EXTERN('{\"type\":\"http\",\"uris\":[\"" + targets.url()
                        + "\"]}', '{\"type\":\"csv\"}', '[{\"name\":\"a\",\"type\":\"string\"}]'))",
                "EXTERN");
        statements.put(
                "SELECT * FROM TABLE(EXTERN('{\"type\":\"local\",\"files\":[\"" + file
                        + "\"]}', '{\"type\":\"csv\"}', '[{\"name\":\"a\",\"type\":\"string\"}]'))",
                "EXTERN");
        statements.put(
                "SELECT * FROM TABLE(HTTP(uris => ARRAY['" + targets.url() + "'], format => 'csv')) (a VARCHAR)",
                "HTTP");
        statements.put(
                "SELECT * FROM TABLE(LOCALFILES(files => ARRAY['" + file + "'], format => 'csv')) (a VARCHAR)",
                "LOCALFILES");
        statements.put(
                "INSERT INTO EXTERN(local(exportPath => '" + targets.target() + "')) AS CSV SELECT id FROM tck", "");
        statements.put("INSERT INTO other SELECT id FROM tck PARTITIONED BY ALL", "");
        statements.put("REPLACE INTO tck OVERWRITE ALL SELECT * FROM tck PARTITIONED BY ALL", "");
        statements.put("SELECT * FROM sys.servers", "sys.servers");
        statements.put("SELECT * FROM sys.server_properties", "sys.server_properties");
        statements.put("SELECT * FROM ext.a", "");
        statements.put("SELECT * FROM \"../../etc/passwd\"", "");
        statements.put("SELECT LOOKUP(id, '" + file + "') FROM tck", "lookup");
        statements.put("SET a = 1; SELECT * FROM TABLE(EXTERN('{}', '{}', '[]'))", "EXTERN");
        statements.put("SET bySegment = TRUE; SELECT id FROM tck", "bySegment");
        statements.forEach((sql, named) -> all.add(HostileInput.query(sql, sql, named)));
        all.add(HostileInput.query(
                "member of a request", "{\"query\": \"SELECT 1\", \"dataSource\": {}}", "dataSource"));
        all.add(HostileInput.query("empty member of a request", "{\"query\": \"SELECT 1\", \"\": {}}", "\"\""));
    }

    private void addSchemas(String schema) {
        String js = "{\"type\": \"javascript\", \"name\": \"a\", \"fieldNames\": [\"n\"], \"fnAggregate\": \"" + CODE
                + "\", \"fnCombine\": \"" + CODE + "\", \"fnReset\": \"" + CODE + "\"%s}";
        for (String injected : List.of("", INJECTED)) {
            addSchema(
                    "metric" + injected,
                    schema,
                    "\"metricsSpec\": [",
                    "\"metricsSpec\": [" + js.formatted(injected) + ", ",
                    "javascript");
            addSchema(
                    "transform" + injected,
                    schema,
                    "{\"timestampSpec\"",
                    "{\"transformSpec\": {\"filter\":"
                            + " {\"type\": \"javascript\", \"dimension\": \"id\", \"function\": \"" + CODE + "\""
                            + injected
                            + "}}, \"timestampSpec\"",
                    "javascript");
        }
        addSchema(
                "parser CVE-2021-25646",
                schema,
                "{\"timestampSpec\"",
                "{\"parser\": {\"type\": \"string\", \"parseSpec\":"
                        + " {\"format\": \"javascript\", \"function\": \"" + CODE + "\", \"\": {\"enabled\": true}}},"
                        + " \"timestampSpec\"",
                "parser");
        addSchema(
                "input",
                schema,
                "{\"timestampSpec\"",
                "{\"ioConfig\": {\"firehose\": {\"type\": \"http\", \"uris\": [\"" + targets.url()
                        + "\"]}}, \"timestampSpec\"",
                "ioConfig");
        addSchema("no time", schema, "\"timestampSpec\"", "\"timeSpec\"", "timeSpec");
        all.add(HostileInput.options(
                "lookup of a URI",
                Map.of(
                        "dataSchema",
                        schema,
                        "lookups",
                        "{\"a\": {\"type\": \"cachedNamespace\", \"uri\": {\"u\": \"" + targets.url() + "\"}}}"),
                "lookups"));
        all.add(HostileInput.update(
                "code in a row",
                "druid.append@1",
                new Document("id", Map.of("id", "a", "ts", 0L, "n", Map.of("type", "javascript")))));
    }

    private void addSchema(String name, String schema, String what, String with, String named) {
        if (!schema.contains(what)) {
            throw new IllegalArgumentException(what);
        }
        all.add(HostileInput.options(name, Map.of("dataSchema", schema.replace(what, with)), named));
    }
}
