package io.uniserve.port.druid.segment;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.uniserve.api.ContentDigest;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.druid.runtime.DruidServices;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.druid.query.aggregation.AggregatorFactory;
import org.apache.druid.segment.ColumnValueSelector;
import org.apache.druid.segment.Cursor;
import org.apache.druid.segment.CursorBuildSpec;
import org.apache.druid.segment.CursorFactory;
import org.apache.druid.segment.CursorHolder;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.segment.column.RowSignature;
import org.apache.druid.segment.nested.StructuredData;
import org.jspecify.annotations.Nullable;

/**
 * Digest of the rows of segments, independent of their order: all values by column. A sketch contributes its final value, such as an
 * estimate, because the bytes of some sketches depend on random choices.
 */
final class SegmentDigest {
    private SegmentDigest() {}

    static Function<List<ReferenceCountingSegment>, byte[]> with(AggregatorFactory[] metrics) {
        Map<String, AggregatorFactory> byName =
                Arrays.stream(metrics).collect(Collectors.toMap(AggregatorFactory::getName, Function.identity()));
        return segments -> {
            ContentDigest digest = new ContentDigest();
            for (ReferenceCountingSegment segment : segments) {
                add(digest, Objects.requireNonNull(segment.asCursorFactory()), byName);
            }
            return digest.toBytes();
        };
    }

    private static void add(ContentDigest digest, CursorFactory rows, Map<String, AggregatorFactory> metrics) {
        RowSignature columns = rows.getRowSignature();
        try (CursorHolder holder = rows.makeCursorHolder(CursorBuildSpec.FULL_SCAN)) {
            Cursor cursor = holder.asCursor();
            if (cursor == null) {
                return;
            }
            Map<String, ColumnValueSelector<?>> selectors = new TreeMap<>();
            for (String column : columns.getColumnNames()) {
                selectors.put(column, cursor.getColumnSelectorFactory().makeColumnValueSelector(column));
            }
            while (!cursor.isDone()) {
                StringBuilder row = new StringBuilder();
                selectors.forEach((column, selector) -> append(row, column, selector.getObject(), metrics.get(column)));
                digest.add(row.toString());
                cursor.advance();
            }
        }
    }

    private static void append(
            StringBuilder row, String column, @Nullable Object value, @Nullable AggregatorFactory metric) {
        Object shown =
                value == null || metric == null || value instanceof Number ? value : metric.finalizeComputation(value);
        if (shown == null) {
            return;
        }
        row.append(column.length()).append(':').append(column);
        appendValue(row, shown);
    }

    private static void appendValue(StringBuilder row, @Nullable Object value) {
        if (value instanceof List<?> list) {
            row.append('[');
            list.forEach(item -> appendValue(row, item));
            row.append(']');
        } else if (value instanceof Object[] array) {
            appendValue(row, Arrays.asList(array));
        } else {
            String text = value instanceof StructuredData data ? json(data) : String.valueOf(value);
            row.append(text.length()).append('=').append(text);
        }
    }

    private static String json(StructuredData data) {
        try {
            return DruidServices.get().json().writeValueAsString(data.getValue());
        } catch (JsonProcessingException e) {
            throw new UniserveException(ErrorCode.INTERNAL, "a nested value cannot be written: " + e.getMessage(), e);
        }
    }
}
