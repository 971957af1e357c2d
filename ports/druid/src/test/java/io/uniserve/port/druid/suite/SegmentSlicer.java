package io.uniserve.port.druid.suite;

import io.uniserve.codec.Bytes;
import io.uniserve.port.druid.runtime.DruidServices;
import io.uniserve.port.druid.segment.SegmentRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.druid.data.input.MapBasedInputRow;
import org.apache.druid.data.input.impl.DimensionSchema;
import org.apache.druid.data.input.impl.DimensionsSpec;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.segment.ColumnValueSelector;
import org.apache.druid.segment.Cursor;
import org.apache.druid.segment.CursorBuildSpec;
import org.apache.druid.segment.CursorHolder;
import org.apache.druid.segment.IndexSpec;
import org.apache.druid.segment.Metadata;
import org.apache.druid.segment.QueryableIndex;
import org.apache.druid.segment.QueryableIndexCursorFactory;
import org.apache.druid.segment.column.ColumnHolder;
import org.apache.druid.segment.incremental.IncrementalIndex;
import org.apache.druid.segment.incremental.IncrementalIndexSchema;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;

/**
 * Division of a segment of Druid's tests into segments of consecutive rows, by Druid's own index, one per actor. So "in the order of actors"
 * is the order of the rows in the test's segment, and columns keep their types.
 */
final class SegmentSlicer {
    private SegmentSlicer() {}

    /**
     * Returns at most this many segments, each for the actor of its position.
     *
     * @param byTime keeps rows of one time in one segment, as segments of Druid do
     */
    static List<SegmentRow> slices(QueryableIndex index, int count, boolean byTime, Path scratch) {
        List<MapBasedInputRow> rows = rows(index);
        IncrementalIndexSchema schema = schema(index);
        List<SegmentRow> slices = new ArrayList<>();
        for (int actor = 0; actor < count; actor++) {
            int from = begin(rows, actor, count, byTime);
            int to = begin(rows, actor + 1, count, byTime);
            if (from < to) {
                slices.add(slice(schema, rows.subList(from, to), actor, scratch.resolve(String.valueOf(actor))));
            }
        }
        return slices;
    }

    private static int begin(List<MapBasedInputRow> rows, int actor, int count, boolean byTime) {
        int begin = (int) ((long) rows.size() * actor / count);
        while (byTime
                && begin > 0
                && begin < rows.size()
                && rows.get(begin).getTimestampFromEpoch()
                        == rows.get(begin - 1).getTimestampFromEpoch()) {
            begin++;
        }
        return begin;
    }

    private static IncrementalIndexSchema schema(QueryableIndex index) {
        List<DimensionSchema> dimensions = new ArrayList<>();
        index.getDimensionHandlers()
                .forEach((name, handler) ->
                        dimensions.add(handler.getDimensionSchema(index.getColumnCapabilities(name))));
        return IncrementalIndexSchema.builder()
                .withMinTimestamp(index.getDataInterval().getStartMillis())
                .withDimensionsSpec(new DimensionsSpec(dimensions))
                .withMetrics(metrics(index))
                .withRollup(false)
                .build();
    }

    private static AggregatorFactory[] metrics(QueryableIndex index) {
        Metadata metadata = index.getMetadata();
        AggregatorFactory[] metrics = metadata == null ? null : metadata.getAggregators();
        return metrics == null ? new AggregatorFactory[0] : metrics;
    }

    private static List<MapBasedInputRow> rows(QueryableIndex index) {
        List<String> dimensions = List.copyOf(index.getDimensionHandlers().keySet());
        List<String> names = new ArrayList<>(dimensions);
        for (AggregatorFactory metric : metrics(index)) {
            names.add(metric.getName());
        }
        List<MapBasedInputRow> rows = new ArrayList<>();
        try (CursorHolder holder = new QueryableIndexCursorFactory(index).makeCursorHolder(CursorBuildSpec.FULL_SCAN)) {
            Cursor cursor = holder.asCursor();
            Map<String, ColumnValueSelector<?>> selectors = new HashMap<>();
            names.forEach(name ->
                    selectors.put(name, cursor.getColumnSelectorFactory().makeColumnValueSelector(name)));
            ColumnValueSelector<?> time =
                    cursor.getColumnSelectorFactory().makeColumnValueSelector(ColumnHolder.TIME_COLUMN_NAME);
            for (; !cursor.isDone(); cursor.advance()) {
                Map<String, Object> row = new HashMap<>();
                selectors.forEach((name, selector) -> row.put(name, selector.getObject()));
                rows.add(new MapBasedInputRow(time.getLong(), dimensions, row));
            }
        }
        return rows;
    }

    private static SegmentRow slice(
            IncrementalIndexSchema schema, List<MapBasedInputRow> rows, int actor, Path directory) {
        try (IncrementalIndex index = new OnheapIncrementalIndex.Builder()
                .setIndexSchema(schema)
                .setMaxRowCount(rows.size() + 1)
                .build()) {
            for (MapBasedInputRow row : rows) {
                index.add(row);
            }
            Files.createDirectories(directory);
            DruidServices.get().merger().persist(index, directory.toFile(), IndexSpec.DEFAULT, null);
            return new SegmentRow(
                    actor, index.getMinTime().getMillis(), index.getMaxTime().getMillis() + 1, files(directory));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, Bytes> files(Path directory) throws IOException {
        Map<String, Bytes> files = new HashMap<>();
        try (Stream<Path> list = Files.list(directory)) {
            for (Path file : list.toList()) {
                files.put(file.getFileName().toString(), Bytes.wrap(Files.readAllBytes(file)));
            }
        }
        return files;
    }
}
