package io.uniserve.port.druid.sql;

import io.uniserve.api.plan.PlanContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.segment.TableSchema;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.druid.data.input.impl.DimensionSchema;
import org.apache.druid.data.input.impl.DimensionsSpec;
import org.apache.druid.java.util.common.Intervals;
import org.apache.druid.query.TableDataSource;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.metadata.metadata.ColumnAnalysis;
import org.apache.druid.query.metadata.metadata.SegmentAnalysis;
import org.apache.druid.query.metadata.metadata.SegmentMetadataQuery;
import org.apache.druid.query.spec.MultipleIntervalSegmentSpec;
import org.apache.druid.segment.AutoTypeColumnSchema;
import org.apache.druid.segment.column.ColumnHolder;
import org.apache.druid.segment.column.ColumnType;
import org.apache.druid.segment.column.RowSignature;
import org.apache.druid.segment.column.Types;

/**
 * Cache of the tables' columns. If a table's definition has all columns and types, the cached ones never change. If Druid discovers
 * dimensions or types, a segmentMetadata query reads them, as Druid's broker does, at most once in {@link #FRESH_NANOS}.
 *
 * <p>Thread-safe.
 */
final class TableSignatures {
    /** Time for which discovered columns are valid. Druid's broker reads them once per minute. */
    static final long FRESH_NANOS = 1_000_000_000L;

    private static final String PORT = "druid";

    private final Map<TableMeta, Known> known = new ConcurrentHashMap<>();

    /** Columns, and the time at which they were read; empty if they never change. */
    private record Known(RowSignature columns, Optional<Long> readNanos) {
        boolean isFresh(long now) {
            return readNanos.isEmpty() || now - readNanos.get() < FRESH_NANOS;
        }
    }

    /** Returns the columns of a table; empty if there is no such table. Fails with UNSUPPORTED for a table of another port. */
    Optional<RowSignature> of(String name, PlanContext context, NativeQueries queries) {
        Optional<TableMeta> table = table(name, context);
        if (table.isEmpty()) {
            return Optional.empty();
        }
        TableMeta meta = table.get();
        if (!meta.port().equals(PORT)) {
            throw UniserveException.unsupported(
                    "table " + name + " of port " + meta.port() + " in Druid SQL: use tables of port druid only");
        }
        long now = context.nanoTime();
        Known present = known.get(meta);
        if (present == null || !present.isFresh(now)) {
            present = read(meta, now, queries);
            known.keySet().removeIf(other -> other.name().equals(meta.name()) && !other.equals(meta));
            known.put(meta, present);
        }
        return Optional.of(present.columns);
    }

    /** Returns a table's definition; empty if there is no such table. */
    static Optional<TableMeta> table(String name, PlanContext context) {
        TableName table;
        try {
            table = new TableName(name);
        } catch (UniserveException e) {
            // No table can have this name.
            return Optional.empty();
        }
        try {
            return Optional.of(context.table(table));
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.TABLE_NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static Known read(TableMeta meta, long now, NativeQueries queries) {
        TableSchema schema = TableSchema.of(meta);
        DimensionsSpec dimensions = schema.dataSchema().getDimensionsSpec();
        Map<String, ColumnType> columns = new LinkedHashMap<>();
        columns.put(ColumnHolder.TIME_COLUMN_NAME, ColumnType.LONG);
        boolean discovered = isDiscovered(dimensions);
        if (discovered) {
            segments(meta.name().value(), queries).forEach(analysis -> add(analysis, columns));
        }
        for (DimensionSchema dimension : dimensions.getDimensions()) {
            columns.putIfAbsent(
                    dimension.getName(),
                    dimension instanceof AutoTypeColumnSchema ? ColumnType.NESTED_DATA : dimension.getColumnType());
        }
        for (AggregatorFactory metric : schema.dataSchema().getAggregators()) {
            columns.putIfAbsent(metric.getName(), metric.getIntermediateType());
        }
        RowSignature.Builder signature = RowSignature.builder();
        columns.forEach(signature::add);
        return new Known(signature.build(), discovered ? Optional.of(now) : Optional.empty());
    }

    private static boolean isDiscovered(DimensionsSpec dimensions) {
        return dimensions.getDimensions().isEmpty()
                || dimensions.useSchemaDiscovery()
                || dimensions.isIncludeAllDimensions()
                || dimensions.getDimensions().stream().anyMatch(AutoTypeColumnSchema.class::isInstance);
    }

    private static List<SegmentAnalysis> segments(String table, NativeQueries queries) {
        SegmentMetadataQuery query = new SegmentMetadataQuery(
                new TableDataSource(table),
                new MultipleIntervalSegmentSpec(Intervals.ONLY_ETERNITY),
                null,
                false,
                Map.of(),
                EnumSet.noneOf(SegmentMetadataQuery.AnalysisType.class),
                false,
                null,
                null);
        return queries.run(query).toList();
    }

    private static void add(SegmentAnalysis segment, Map<String, ColumnType> columns) {
        segment.getColumns().forEach((name, analysis) -> {
            if (!analysis.isError()) {
                columns.merge(name, type(analysis), TableSignatures::merge);
            }
        });
    }

    private static ColumnType type(ColumnAnalysis analysis) {
        ColumnType type = analysis.getTypeSignature();
        return type == null ? ColumnType.UNKNOWN_COMPLEX : type;
    }

    /** The type that holds the values of both, as Druid's broker chooses it by default. */
    private static ColumnType merge(ColumnType one, ColumnType other) {
        try {
            return ColumnType.leastRestrictiveType(one, other);
        } catch (Types.IncompatibleTypeException e) {
            boolean nested = ColumnType.NESTED_DATA.equals(one) || ColumnType.NESTED_DATA.equals(other);
            return nested ? ColumnType.NESTED_DATA : one;
        }
    }
}
