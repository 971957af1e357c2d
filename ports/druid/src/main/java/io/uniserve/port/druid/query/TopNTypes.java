package io.uniserve.port.druid.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.query.Query;
import org.apache.druid.query.Result;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;
import org.apache.druid.segment.DimensionHandlerUtils;
import org.apache.druid.segment.column.ColumnType;

/**
 * Restoration of the types of a numeric topN dimension. Smile does not keep them: it reads 5 as an Integer and 5,000,000,000 as a Long.
 * Stateless.
 */
final class TopNTypes {
    private TopNTypes() {}

    /** Returns decoded results with values of the dimension's type, so that equal values are equal objects. */
    @SuppressWarnings("unchecked") // T is the result of a topN.
    static <T> List<T> restored(Query<T> query, List<T> rows) {
        if (!(query instanceof TopNQuery topN)
                || !topN.getDimensionSpec().getOutputType().isNumeric()) {
            return rows;
        }
        String dimension = topN.getDimensionSpec().getOutputName();
        ColumnType type = topN.getDimensionSpec().getOutputType();
        List<T> restored = new ArrayList<>(rows.size());
        for (T row : rows) {
            Result<TopNResultValue> result = (Result<TopNResultValue>) row;
            List<DimensionAndMetricValueExtractor> values = new ArrayList<>();
            for (DimensionAndMetricValueExtractor value : result.getValue()) {
                Map<String, Object> fields = new LinkedHashMap<>(value.getBaseObject());
                fields.put(
                        dimension, DimensionHandlerUtils.convertObjectToType(value.getDimensionValue(dimension), type));
                values.add(new DimensionAndMetricValueExtractor(fields));
            }
            restored.add((T) new Result<>(result.getTimestamp(), new TopNResultValue(values)));
        }
        return restored;
    }
}
