package io.uniserve.port.druid.suite;

import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.java.util.common.granularity.Granularity;
import org.apache.druid.java.util.common.granularity.PeriodGranularity;
import org.apache.druid.query.Query;
import org.apache.druid.query.QueryException;
import org.apache.druid.query.QueryInterruptedException;
import org.apache.druid.query.QueryTimeoutException;
import org.apache.druid.query.ResourceLimitExceededException;
import org.apache.druid.query.Result;
import org.apache.druid.query.scan.ScanResultValue;
import org.apache.druid.query.timeseries.TimeseriesResultValue;
import org.apache.druid.query.topn.TopNResultValue;
import org.jspecify.annotations.Nullable;

/**
 * Java types that Druid's serialized form does not keep, between any two of Druid's processes too: whole numbers have one type, and times
 * have an offset and no zone. The tests compare objects of one process, so this gives whole numbers the class Long, times the zone of the
 * query, and errors the classes of Druid's own client. Values do not change.
 */
final class WireTypes {
    private WireTypes() {}

    @SuppressWarnings("unchecked") // The class of a result does not change.
    static <T> List<T> restored(Query<T> query, List<T> rows) {
        List<T> restored = new ArrayList<>(rows.size());
        for (T row : rows) {
            restored.add((T) restored(query.getGranularity(), row));
        }
        return restored;
    }

    private static Object restored(Granularity granularity, Object row) {
        if (row instanceof ScanResultValue scan) {
            return new ScanResultValue(scan.getSegmentId(), scan.getColumns(), value(scan.getEvents()));
        }
        if (!(row instanceof Result<?> result)) {
            return row;
        }
        Object value = result.getValue();
        if (value instanceof TimeseriesResultValue timeseries) {
            value = new TimeseriesResultValue(fields(timeseries.getBaseObject()));
        } else if (value instanceof TopNResultValue topN) {
            List<Object> values = new ArrayList<>();
            topN.getValue().forEach(one -> values.add(fields(one.getBaseObject())));
            value = TopNResultValue.create(values);
        }
        boolean zoned = granularity instanceof PeriodGranularity;
        return new Result<>(
                zoned
                        ? result.getTimestamp().withZone(((PeriodGranularity) granularity).getTimeZone())
                        : result.getTimestamp(),
                value);
    }

    private static Map<String, Object> fields(Map<String, Object> fields) {
        Map<String, Object> restored = new LinkedHashMap<>();
        fields.forEach((name, field) -> restored.put(name, value(field)));
        return restored;
    }

    private static @Nullable Object value(@Nullable Object value) {
        if (value instanceof Integer whole) {
            return whole.longValue();
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> restored = new ArrayList<>();
            list.forEach(one -> restored.add(value(one)));
            return restored;
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, @Nullable Object> restored = new LinkedHashMap<>();
            map.forEach((key, one) -> restored.put(key, value(one)));
            return restored;
        }
        return value;
    }

    /** The exception that Druid's client makes of a data node's error. */
    static RuntimeException error(RuntimeException failure) {
        if (failure instanceof UniserveException known) {
            switch (known.code()) {
                case TOO_LARGE:
                case RESOURCE_EXHAUSTED:
                    return new ResourceLimitExceededException(known.getMessage());
                case DEADLINE_EXCEEDED:
                    return new QueryTimeoutException(known.getMessage());
                case INVALID_ARGUMENT:
                case PORT_FAILED:
                    return new QueryInterruptedException(
                            QueryException.UNKNOWN_EXCEPTION_ERROR_CODE, known.getMessage(), "", "");
                default:
                    return failure;
            }
        }
        return failure;
    }
}
