package io.uniserve.port.druid.segment;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.druid.data.input.InputRow;
import org.apache.druid.data.input.InputRowSchema;
import org.apache.druid.data.input.impl.MapInputRowParser;
import org.apache.druid.data.input.impl.TimestampSpec;
import org.apache.druid.java.util.common.JodaUtils;
import org.apache.druid.segment.incremental.IncrementalIndexAddResult;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;
import org.apache.druid.segment.indexing.DataSchema;
import org.apache.druid.segment.transform.Transformer;
import org.joda.time.DateTime;
import org.jspecify.annotations.Nullable;

/**
 * Converter from documents to Druid's rows. Not thread-safe: use one per thread.
 *
 * <p>Errors: INVALID_ROW with the field.
 */
final class DruidRowReader {
    private final TableSchema table;
    private final InputRowSchema schema;
    private final Transformer transformer;

    DruidRowReader(TableSchema table) {
        this.table = table;
        DataSchema data = table.dataSchema();
        this.schema = new InputRowSchema(data.getTimestampSpec(), data.getDimensionsSpec(), null);
        this.transformer = data.getTransformSpec().toTransformer();
    }

    /** The row as Druid stores it; null if the table's transformSpec filters it out. */
    @Nullable
    InputRow row(Document document) {
        Map<String, Object> fields = new HashMap<>(document.fields());
        // Druid distinguishes an empty list from null only in segments with other lists. Null makes answers the same in
        // all segments.
        fields.values().removeIf(value -> value instanceof List<?> list && list.isEmpty());
        return transformer.transform(MapInputRowParser.parse(schema, fields));
    }

    /** Fails for rows without a valid time, and for rows with values that their columns cannot hold. */
    void check(List<Document> documents) {
        OnheapIncrementalIndex trial = table.newIndex(JodaUtils.MIN_INSTANT);
        try {
            for (Document document : documents) {
                document.partitionKey();
                checkTime(document);
                checkValues(trial, document);
            }
        } finally {
            trial.close();
        }
    }

    private void checkTime(Document document) {
        TimestampSpec spec = table.dataSchema().getTimestampSpec();
        String column = spec.getTimestampColumn();
        Object value = document.fields().get(column);
        if (value == null) {
            throw invalid("row has no time: field \"" + column + "\" is missing or null; set it");
        }
        DateTime time;
        try {
            time = spec.parseDateTime(value);
        } catch (RuntimeException e) {
            time = null;
        }
        if (time == null || time.getMillis() < JodaUtils.MIN_INSTANT || time.getMillis() >= JodaUtils.MAX_INSTANT) {
            throw invalid("field \"" + column + "\" is \"" + PrintableText.line(String.valueOf(value))
                    + "\", which is not a time of format " + spec.getTimestampFormat() + ": correct it");
        }
        Partitioner.Time chunked = table.time();
        if (chunked != null) {
            document.time(chunked.column());
        }
    }

    /** Fails if the stored time, which a transform may change, is not in the row's chunk. Queries look for the row there. */
    private void checkStoredTime(Document document, long stored) {
        String column = table.dataSchema().getTimestampSpec().getTimestampColumn();
        if (stored < JodaUtils.MIN_INSTANT || stored >= JodaUtils.MAX_INSTANT) {
            throw invalid("time of the row after the transformSpec is " + stored + " ms since 1970, which Druid cannot"
                    + " store: correct field \"" + column + "\"");
        }
        Partitioner.Time time = table.time();
        if (time != null && time.chunks().ordinalOf(stored) != time.chunks().ordinalOf(document.time(time.column()))) {
            throw invalid("field \"" + column + "\" is \""
                    + PrintableText.line(String.valueOf(document.fields().get(column)))
                    + "\": Druid would store it as " + time.chunks().text(stored)
                    + ", in another chunk; write the time as text, and leave it unchanged in transformSpec");
        }
    }

    private void checkValues(OnheapIncrementalIndex trial, Document document) {
        try {
            InputRow row = row(document);
            if (row == null) {
                return;
            }
            checkStoredTime(document, row.getTimestampFromEpoch());
            IncrementalIndexAddResult added = trial.add(row);
            if (added.getParseException() != null) {
                throw invalid("row does not fit the table's columns: "
                        + PrintableText.line(added.getParseException().getMessage()));
            }
        } catch (UniserveException e) {
            throw e;
        } catch (Exception | StackOverflowError e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "row does not fit the table's columns: " + PrintableText.line(String.valueOf(e.getMessage())),
                    e);
        }
    }

    private static UniserveException invalid(String why) {
        return new UniserveException(ErrorCode.INVALID_ROW, why);
    }
}
