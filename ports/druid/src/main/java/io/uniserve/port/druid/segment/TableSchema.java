package io.uniserve.port.druid.segment;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.runtime.DruidErrors;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.runtime.JavaScriptCheck;
import io.uniserve.port.druid.runtime.TableLookups;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.druid.data.input.impl.TimestampSpec;
import org.apache.druid.java.util.common.granularity.Granularities;
import org.apache.druid.java.util.common.granularity.Granularity;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainer;
import org.apache.druid.segment.incremental.IncrementalIndexSchema;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;
import org.apache.druid.segment.indexing.DataSchema;
import org.jspecify.annotations.Nullable;

/**
 * Definition of a table: Druid's data schema from the table option {@code dataSchema}, the limit of rows in memory, the lookups, and the
 * chunks of a table partitioned by time. Immutable.
 *
 * <p>Errors: INVALID_ARGUMENT or UNSUPPORTED, with the name of the field.
 */
public final class TableSchema {
    /** Table option: Druid's dataSchema, as JSON. */
    public static final String OPTION = "dataSchema";

    /** Table option: rows that an actor may have in memory. The name is that of Druid's tuningConfig, but rows count before roll-up. */
    public static final String ROWS_IN_MEMORY_OPTION = "maxRowsInMemory";

    private static final int ROWS_IN_MEMORY_DEFAULT = 25_000;
    private static final int ROWS_IN_MEMORY_MAX = 1_000_000;

    private static final Set<String> FIELDS =
            Set.of("dataSource", "timestampSpec", "dimensionsSpec", "metricsSpec", "granularitySpec", "transformSpec");

    /** Time formats that Druid and Uniserve's time columns parse to the same time. */
    private static final List<String> TIME_FORMATS = List.of("auto", "iso", "millis");

    private final DataSchema schema;
    private final Granularity segmentGranularity;
    private final int rowsInMemory;
    private final Map<String, LookupExtractorFactoryContainer> lookups;
    private final Partitioner.@Nullable Time time;

    private TableSchema(
            DataSchema schema,
            int rowsInMemory,
            Map<String, LookupExtractorFactoryContainer> lookups,
            Partitioner.@Nullable Time time) {
        this.time = time;
        this.lookups = lookups;
        this.rowsInMemory = rowsInMemory;
        this.schema = schema;
        this.segmentGranularity = schema.getGranularitySpec().getSegmentGranularity();
    }

    /** Parses and checks the options of a table. */
    public static TableSchema of(TableMeta meta) {
        String text = meta.options().get(OPTION);
        if (text == null) {
            throw UniserveException.invalid("table option " + OPTION
                    + " is missing: give Druid's dataSchema as JSON, with timestampSpec, dimensionsSpec,"
                    + " metricsSpec and granularitySpec");
        }
        JsonNode tree = parse(text);
        check(tree);
        ObjectNode named = ((ObjectNode) tree).put("dataSource", meta.name().value());
        DataSchema schema = DruidErrors.DRUID.call("read table option " + OPTION, () -> {
            try {
                DataSchema read = DruidServices.get().json().treeToValue(named, DataSchema.class);
                read.getDimensionsSpec();
                return read;
            } catch (JsonProcessingException e) {
                throw UniserveException.invalid(
                        "table option " + OPTION + path(e) + ": " + PrintableText.line(e.getOriginalMessage()));
            }
        });
        Partitioner.Time time = meta.partitioner() instanceof Partitioner.Time chunked ? chunked : null;
        TableSchema table = new TableSchema(schema, rowsInMemory(meta), TableLookups.of(meta), time);
        table.checkGranularity();
        if (time != null) {
            table.checkTime(time);
        }
        return table;
    }

    private static int rowsInMemory(TableMeta meta) {
        String text = meta.options().getOrDefault(ROWS_IN_MEMORY_OPTION, Integer.toString(ROWS_IN_MEMORY_DEFAULT));
        int rows = text.matches("\\d{1,7}") ? Integer.parseInt(text) : 0;
        if (rows < 1 || rows > ROWS_IN_MEMORY_MAX) {
            throw UniserveException.invalid("table option " + ROWS_IN_MEMORY_OPTION + " is \""
                    + PrintableText.line(text) + "\": use a whole number, 1 to " + ROWS_IN_MEMORY_MAX);
        }
        return rows;
    }

    private static JsonNode parse(String text) {
        try {
            JsonNode tree = DruidServices.get().json().readTree(text);
            if (tree != null && tree.isObject()) {
                return tree;
            }
        } catch (JsonProcessingException e) {
            throw UniserveException.invalid(
                    "table option " + OPTION + " is not JSON: " + PrintableText.line(e.getOriginalMessage()));
        } catch (StackOverflowError e) {
            throw UniserveException.invalid("table option " + OPTION + " is nested too deeply");
        }
        throw UniserveException.invalid(
                "table option " + OPTION + " is not a JSON object: write {\"timestampSpec\": ...}");
    }

    private static void check(JsonNode tree) {
        JavaScriptCheck.check(OPTION, tree);
        for (Iterator<String> names = tree.fieldNames(); names.hasNext(); ) {
            String name = names.next();
            if (!FIELDS.contains(name)) {
                throw UniserveException.unsupported(
                        "field \"" + PrintableText.line(name) + "\" of table option " + OPTION + "; use " + FIELDS);
            }
        }
        for (String needed : new String[] {"timestampSpec", "dimensionsSpec"}) {
            if (!tree.path(needed).isObject()) {
                throw UniserveException.invalid("table option " + OPTION + " has no object " + needed);
            }
        }
        if (tree.path("timestampSpec").has("missingValue")) {
            throw UniserveException.unsupported(
                    "timestampSpec.missingValue in table option " + OPTION + "; delete it: each row needs a time");
        }
    }

    private static String path(JsonProcessingException failure) {
        if (failure instanceof com.fasterxml.jackson.databind.JsonMappingException mapping
                && !mapping.getPath().isEmpty()) {
            return ", " + mapping.getPathReference().replaceAll("[\\w.$]*\\.([A-Za-z]+)\\[", "$1[");
        }
        return "";
    }

    private void checkGranularity() {
        if (Granularities.NONE.equals(segmentGranularity)) {
            throw UniserveException.unsupported("granularitySpec.segmentGranularity NONE in table option " + OPTION
                    + "; use HOUR, DAY, MONTH, YEAR or ALL");
        }
        if (!schema.getGranularitySpec().inputIntervals().isEmpty()) {
            throw UniserveException.unsupported("granularitySpec.intervals in table option " + OPTION
                    + "; delete the field: rows of all times are stored");
        }
        if (schema.getGranularitySpec().getClass()
                != org.apache.druid.indexer.granularity.UniformGranularitySpec.class) {
            throw UniserveException.unsupported(
                    "granularitySpec.type other than uniform in table option " + OPTION + ": use uniform");
        }
    }

    /** Checks that Uniserve and Druid take a row's time from the same column, in a format that both parse. */
    private void checkTime(Partitioner.Time time) {
        TimestampSpec spec = schema.getTimestampSpec();
        if (!spec.getTimestampColumn().equals(time.column())) {
            throw UniserveException.invalid(
                    "time column \"" + time.column() + "\" of the table is not the column of timestampSpec, \""
                            + PrintableText.line(spec.getTimestampColumn()) + "\": use one column for both");
        }
        if (!TIME_FORMATS.contains(spec.getTimestampFormat())) {
            throw UniserveException.unsupported("timestampSpec.format \""
                    + PrintableText.line(spec.getTimestampFormat()) + "\" in a table partitioned by time: use one of "
                    + TIME_FORMATS);
        }
    }

    /** The data schema as Druid's object. */
    public DataSchema dataSchema() {
        return schema;
    }

    /** Length of a segment's interval. */
    Granularity segmentGranularity() {
        return segmentGranularity;
    }

    /** Partitioning of a TIME table; null for other tables. */
    Partitioner.@Nullable Time time() {
        return time;
    }

    /**
     * The earliest time at which Druid may store a row whose time is {@code from} or later, in milliseconds. It is the start of the bucket of
     * queryGranularity that contains {@code from}, but not before the start of the segment interval.
     */
    public long firstStoredTime(long from) {
        return Math.max(
                segmentGranularity.bucketStart(from),
                schema.getGranularitySpec().getQueryGranularity().bucketStart(from));
    }

    /** Lookups by name. */
    public Map<String, LookupExtractorFactoryContainer> lookups() {
        return lookups;
    }

    /** Maximum number of pending rows of an actor. At this number the intervals with most rows become segments. */
    int rowsInMemory() {
        return rowsInMemory;
    }

    boolean rollup() {
        return schema.getGranularitySpec().isRollup();
    }

    AggregatorFactory[] metrics() {
        return schema.getAggregators();
    }

    /** A new empty index in memory for rows of this time or later. */
    OnheapIncrementalIndex newIndex(long minMillis) {
        return (OnheapIncrementalIndex) new OnheapIncrementalIndex.Builder()
                .setIndexSchema(IncrementalIndexSchema.builder()
                        .withMinTimestamp(minMillis)
                        .withTimestampSpec(schema.getTimestampSpec())
                        .withQueryGranularity(schema.getGranularitySpec().getQueryGranularity())
                        .withDimensionsSpec(schema.getDimensionsSpec())
                        .withMetrics(metrics())
                        .withRollup(rollup())
                        .build())
                .setMaxRowCount(Integer.MAX_VALUE)
                .build();
    }
}
