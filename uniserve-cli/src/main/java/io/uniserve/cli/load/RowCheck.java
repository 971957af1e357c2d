package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.Columns;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableMeta;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What can be told of a row before it is sent: its actor, its bytes, and whether it is of the table's columns. */
final class RowCheck {
    /** A field's without those of its name and text. */
    private static final int FIELD_BYTES = 16;

    private static final int CHAR_BYTES_MAX = 3;
    private static final long EXACT_BYTES_MIN = 1 << 10;

    private final TableMeta table;
    private final boolean textKeys;

    RowCheck(TableMeta table) {
        this(table, false);
    }

    /** Of a table whose port takes keys as texts, where {@code textKeys}. */
    RowCheck(TableMeta table, boolean textKeys) {
        this.table = table;
        this.textKeys = textKeys;
    }

    /** CSV and text know no numbers as keys, a table in ranges no others; to some ports every key is a text. */
    Document keyed(Document document) {
        if (textKeys) {
            return document.withTextKey();
        }
        if (Columns.givenBy(table)
                && document.fields().get(table.keyField()) instanceof Double number
                && number == number.longValue()) {
            return keyed(document, number.longValue());
        }
        if (table.partitioner() instanceof Partitioner.Range
                && document.fields().get(table.keyField()) instanceof String text
                && text.matches("-?[0-9]{1,18}")) {
            return keyed(document, Long.parseLong(text));
        }
        return document;
    }

    private Document keyed(Document document, long key) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(document.fields());
        fields.put(table.keyField(), key);
        return new Document(table.keyField(), fields);
    }

    /** The actor of a row's key; INVALID_ROW where it has none. */
    int actor(Document document) {
        return table.partitioner().actorOf(document.partitionKey());
    }

    /** The bytes that a row has as it travels, or more; TOO_LARGE beyond the limit, INVALID_ROW where a text cannot travel. */
    static long bytes(Document document) {
        long bytes = counted(document);
        if (bytes > Limits.ROW_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE, "the row has " + bytes + " bytes, at most " + Limits.ROW_BYTES_MAX);
        }
        return bytes;
    }

    /** Those of rows that may be too large are counted exactly. */
    private static long counted(Document document) {
        long most = 0;
        for (Map.Entry<String, @Nullable Object> field : document.fields().entrySet()) {
            CodePoints.checked(ErrorCode.INVALID_ROW, "name of a field", field.getKey());
            Object value = field.getValue();
            boolean flat =
                    value == null || value instanceof String || value instanceof Number || value instanceof Boolean;
            most += flat ? FIELD_BYTES + field.getKey().length() : Limits.ROW_BYTES_MAX;
            if (value instanceof String text) {
                CodePoints.checked(ErrorCode.INVALID_ROW, "field \"" + Printable.line(field.getKey()) + "\"", text);
                most += (long) text.length() * CHAR_BYTES_MAX;
            }
        }
        if (most <= EXACT_BYTES_MIN) {
            return most;
        }
        BinaryWriter writer = new BinaryWriter();
        Document.CODEC.write(writer, document);
        return writer.size();
    }

    /** Refuses rows that are none of these columns, by the check that their engines make: INVALID_ROW names the field. */
    void typed(Columns columns, RowSource.Command command, String function, Document document) {
        if (command == RowSource.Command.DELETE || function.contains(".delete@")) {
            List<Object> unused = columns.key(document);
        } else if (command == RowSource.Command.ADD && function.contains(".put@")) {
            List<@Nullable Object> unused = columns.values(document);
        }
    }
}
