package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.CodePoints;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Partitioner;
import io.uniserve.model.registry.TableMeta;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Client-side checks of a row before it is sent: its actor, its size, and whether it fits the table's columns. */
final class RowValidator {
    /** Upper bound of a field's overhead, without its name and text. */
    private static final int FIELD_BYTES = 16;

    private static final int CHAR_BYTES_MAX = 3;

    private static final String MONGODB = "mongodb";

    /** Field of a row of port mongodb with its key; no document of MongoDB has one of this name. */
    private static final String KEY_FIELD = "$key";

    private static final long EXACT_BYTES_MIN = 1 << 10;

    private final TableMeta table;
    private final boolean textKeys;

    RowValidator(TableMeta table) {
        this(table, false);
    }

    /** Checks rows of a table; {@code textKeys} is true if the port has only texts as keys. */
    RowValidator(TableMeta table, boolean textKeys) {
        this.table = table;
        this.textKeys = textKeys;
    }

    /**
     * Converts the key to the type of the table. CSV and text have no numeric keys, range-partitioned tables have only those, and some
     * ports have only text keys.
     */
    Document withTableKey(Document document) {
        if (textKeys) {
            return document.withTextKey();
        }
        if (ColumnSchema.isDefinedBy(table)
                && document.fields().get(table.keyField()) instanceof Double number
                && number == number.longValue()) {
            return withTableKey(document, number.longValue());
        }
        if (table.partitioner() instanceof Partitioner.Range
                && document.fields().get(table.keyField()) instanceof String text
                && text.matches("-?[0-9]{1,18}")) {
            return withTableKey(document, Long.parseLong(text));
        }
        return withExtendedJsonKey(table, document);
    }

    private Document withTableKey(Document document, long key) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(document.fields());
        fields.put(table.keyField(), key);
        return new Document(table.keyField(), fields);
    }

    /**
     * Returns the row with the key of an _id that is an object of Extended JSON, as mongoexport writes it, in a field that port mongodb
     * does not store.
     */
    private static Document withExtendedJsonKey(TableMeta table, Document document) {
        if (!table.port().equals(MONGODB) || !(document.fields().get(document.keyField()) instanceof Map<?, ?> id)) {
            return document;
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>(document.fields());
        if (fields.put(KEY_FIELD, extendedJsonKey(id)) != null) {
            throw new UniserveException(
                    ErrorCode.INVALID_ROW,
                    "the row has a field " + KEY_FIELD + ", an operator's name; use another one");
        }
        return new Document(KEY_FIELD, fields);
    }

    private static Object extendedJsonKey(Map<?, ?> id) {
        if (id.size() == 1 && id.get("$oid") instanceof String hex && hex.matches("[0-9a-fA-F]{24}")) {
            return "oid:" + hex.toLowerCase(Locale.ROOT);
        }
        Object number = id.containsKey("$numberInt") ? id.get("$numberInt") : id.get("$numberLong");
        if (id.size() == 1
                && number instanceof String digits
                && digits.matches("-?[0-9]{1,19}")
                && new BigInteger(digits).bitLength() < Long.SIZE) {
            return Long.parseLong(digits);
        }
        throw new UniserveException(
                ErrorCode.INVALID_ROW,
                "the row's _id is " + PrintableText.line(String.valueOf(id))
                        + ": load knows texts, whole numbers and {\"$oid\": \"24 hexadecimal digits\"};"
                        + " use the client's MongoWrite for others");
    }

    /** Returns the actor of a row. Fails with INVALID_ROW if it has no valid key, or no valid time for a table partitioned by time. */
    int actor(Document document) {
        return document.actor(table.partitioner());
    }

    /**
     * Returns an upper bound of a row's encoded size in bytes. Fails with TOO_LARGE above the limit, and with INVALID_ROW for a text that
     * cannot be encoded.
     */
    static long bytes(Document document) {
        long bytes = exactBytes(document);
        if (bytes > Limits.ROW_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE, "the row has " + bytes + " bytes, at most " + Limits.ROW_BYTES_MAX);
        }
        return bytes;
    }

    /** Returns the size; it is exact for rows that may be too large. */
    private static long exactBytes(Document document) {
        long most = 0;
        for (Map.Entry<String, @Nullable Object> field : document.fields().entrySet()) {
            CodePoints.checked(ErrorCode.INVALID_ROW, "name of a field", field.getKey());
            Object value = field.getValue();
            boolean flat =
                    value == null || value instanceof String || value instanceof Number || value instanceof Boolean;
            most += flat ? FIELD_BYTES + field.getKey().length() : Limits.ROW_BYTES_MAX;
            if (value instanceof String text) {
                CodePoints.checked(ErrorCode.INVALID_ROW, "field \"" + PrintableText.line(field.getKey()) + "\"", text);
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

    /** Fails with INVALID_ROW, which names the field, for rows that do not fit these columns. Engines make the same check. */
    void checkColumns(ColumnSchema columns, RowSource.Command command, String function, Document document) {
        if (command == RowSource.Command.DELETE || function.contains(".delete@")) {
            List<Object> unused = columns.keyValues(document);
        } else if (command == RowSource.Command.ADD && function.contains(".put@")) {
            List<@Nullable Object> unused = columns.values(document);
        }
    }
}
