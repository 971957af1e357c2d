package io.uniserve.port.druid.query;

import java.util.List;
import java.util.Map;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.groupby.GroupByQuery;
import org.apache.druid.query.groupby.ResultRow;
import org.apache.druid.query.timeseries.TimeseriesQuery;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;
import org.jspecify.annotations.Nullable;

/** Estimates of the memory of results, which is larger than their serialized size. Stateless. */
final class ResultSizes {
    /** Of a number, a time or the header of an object. */
    private static final long SMALL_BYTES = 24;
    /** Of a reference and its place in an array. */
    private static final long REFERENCE_BYTES = 8;
    /** Of an entry of a map, without its value. */
    private static final long ENTRY_BYTES = 56;
    /** Of a value of unknown class, if no aggregator of the query is larger. */
    private static final long OBJECT_BYTES_MIN = 64;

    private ResultSizes() {}

    /** Estimated bytes of these results; too many rather than too few. */
    static long estimate(Query<?> query, List<?> rows) {
        long object = objectBytes(query);
        long bytes = SMALL_BYTES;
        for (Object row : rows) {
            bytes += SMALL_BYTES + bytes(row, object);
        }
        return bytes;
    }

    /** Largest size of an intermediate value of the query's aggregators. */
    private static long objectBytes(Query<?> query) {
        List<AggregatorFactory> aggregators = List.of();
        if (query instanceof TimeseriesQuery timeseries) {
            aggregators = timeseries.getAggregatorSpecs();
        } else if (query instanceof TopNQuery topN) {
            aggregators = topN.getAggregatorSpecs();
        } else if (query instanceof GroupByQuery groupBy) {
            aggregators = groupBy.getAggregatorSpecs();
        }
        return aggregators.stream()
                .mapToLong(AggregatorFactory::getMaxIntermediateSizeWithNulls)
                .reduce(OBJECT_BYTES_MIN, Math::max);
    }

    private static long bytes(@Nullable Object value, long object) {
        if (value == null || value instanceof Number || value instanceof Boolean) {
            return SMALL_BYTES;
        }
        if (value instanceof String text) {
            return 2 * SMALL_BYTES + 3L * text.length();
        }
        if (value instanceof ResultRow row) {
            return bytes(row.getArray(), object);
        }
        if (value instanceof Object[] array) {
            long bytes = SMALL_BYTES;
            for (Object one : array) {
                bytes += REFERENCE_BYTES + bytes(one, object);
            }
            return bytes;
        }
        if (value instanceof Result<?> result) {
            return SMALL_BYTES + bytes(result.getValue(), object);
        }
        if (value instanceof TopNResultValue topN) {
            return bytes(topN.getValue(), object);
        }
        if (value instanceof DimensionAndMetricValueExtractor fields) {
            return bytes(fields.getBaseObject(), object);
        }
        if (value instanceof TimeseriesResultValue fields) {
            return bytes(fields.getBaseObject(), object);
        }
        if (value instanceof Map<?, ?> map) {
            long bytes = SMALL_BYTES;
            for (Object one : map.values()) {
                bytes += ENTRY_BYTES + bytes(one, object);
            }
            return bytes;
        }
        if (value instanceof TopNValues compact) {
            long bytes = SMALL_BYTES;
            for (int i = 0; i < compact.size(); i++) {
                bytes += REFERENCE_BYTES + bytes(compact.row(i), object);
            }
            return bytes;
        }
        if (value instanceof Iterable<?> list) {
            long bytes = SMALL_BYTES;
            for (Object one : list) {
                bytes += REFERENCE_BYTES + bytes(one, object);
            }
            return bytes;
        }
        return object;
    }
}
