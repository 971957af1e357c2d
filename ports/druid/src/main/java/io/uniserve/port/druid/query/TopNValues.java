package io.uniserve.port.druid.query;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.RandomAccess;
import org.apache.druid.query.Result;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.query.topn.DimensionAndMetricValueExtractor;
import org.apache.druid.query.topn.TopNQuery;
import org.apache.druid.query.topn.TopNResultValue;

/**
 * Values of a topN's dimension with their aggregates: an array per value, which takes a third of the memory of Druid's map. The map is made
 * for each access. Post-aggregates are left out, as they are computed from aggregates. Immutable.
 */
final class TopNValues extends AbstractList<DimensionAndMetricValueExtractor> implements RandomAccess {
    private final List<String> names;
    private final List<Object[]> rows;

    /** Values by the value of the dimension, combined from several results. Not thread-safe. */
    static final class Table {
        private final List<AggregatorFactory> aggregators;
        private final List<String> names;
        private final Map<Object, Object[]> values;

        /** @param empty a map without entries, whose order is that of the values */
        Table(TopNQuery query, Map<Object, Object[]> empty) {
            this.aggregators = query.getAggregatorSpecs();
            this.names = names(query);
            this.values = empty;
        }

        /** Adds or combines the values of a result, which stays as it is. */
        void add(TopNResultValue result) {
            List<DimensionAndMetricValueExtractor> list = result.getValue();
            for (int i = 0; i < list.size(); i++) {
                Object[] row = list instanceof TopNValues compact ? compact.rows.get(i) : row(names, list.get(i));
                Object[] known = values.get(row[0]);
                if (known == null) {
                    values.put(row[0], row.clone());
                    continue;
                }
                for (int field = 1; field < known.length; field++) {
                    known[field] = aggregators.get(field - 1).combine(known[field], row[field]);
                }
            }
        }

        /** Arrays of the value and its aggregates, in the order of the map. */
        Iterable<Object[]> rows() {
            return values.values();
        }

        TopNValues toValues() {
            return new TopNValues(names, new ArrayList<>(values.values()));
        }
    }

    private TopNValues(List<String> names, List<Object[]> rows) {
        this.names = names;
        this.rows = rows;
    }

    /** Results with values of this class. */
    @SuppressWarnings("unchecked") // T is the result of a topN.
    static <T> List<T> compact(TopNQuery query, List<T> results) {
        List<String> names = names(query);
        List<T> compact = new ArrayList<>(results.size());
        for (T one : results) {
            Result<TopNResultValue> result = (Result<TopNResultValue>) one;
            List<DimensionAndMetricValueExtractor> values = result.getValue().getValue();
            List<Object[]> rows = new ArrayList<>(values.size());
            values.forEach(value -> rows.add(row(names, value)));
            compact.add((T) new Result<>(result.getTimestamp(), new TopNResultValue(new TopNValues(names, rows))));
        }
        return compact;
    }

    private static List<String> names(TopNQuery query) {
        List<String> names = new ArrayList<>();
        names.add(query.getDimensionSpec().getOutputName());
        query.getAggregatorSpecs().forEach(aggregator -> names.add(aggregator.getName()));
        return List.copyOf(names);
    }

    private static Object[] row(List<String> names, DimensionAndMetricValueExtractor value) {
        Object[] row = new Object[names.size()];
        row[0] = value.getDimensionValue(names.get(0));
        for (int field = 1; field < row.length; field++) {
            row[field] = value.getMetric(names.get(field));
        }
        return row;
    }

    /** Array of the value and its aggregates. */
    Object[] row(int index) {
        return rows.get(index);
    }

    @Override
    public DimensionAndMetricValueExtractor get(int index) {
        Map<String, Object> fields = new LinkedHashMap<>();
        Object[] row = rows.get(index);
        for (int field = 0; field < row.length; field++) {
            fields.put(names.get(field), row[field]);
        }
        return new DimensionAndMetricValueExtractor(fields);
    }

    @Override
    public int size() {
        return rows.size();
    }
}
