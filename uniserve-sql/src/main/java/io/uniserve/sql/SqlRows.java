package io.uniserve.sql;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rows of an engine's answer, as texts that the engine reads back exactly.
 *
 * @param types of the columns, as the engine names them, such as DECIMAL(38,2)
 * @param rows each with a text or null for every column
 */
public record SqlRows(List<String> types, List<List<@Nullable String>> rows) {
    /** Reads no name of a type that is more than a word with numbers: they become a part of statements. */
    public static final Codec<SqlRows> CODEC = Codecs.of(SqlRows::write, SqlRows::read);

    private static final Pattern TYPE = Pattern.compile("[A-Z][A-Z0-9_ ]{0,40}(\\(\\d{1,2},\\d{1,2}\\))?");
    private static final int COLUMNS_MAX = 10_000;

    public SqlRows {
        types = List.copyOf(types);
        rows = Collections.unmodifiableList(rows);
        for (String type : types) {
            if (!TYPE.matcher(type).matches()) {
                throw UniserveException.unsupported("a query's value of type " + type);
            }
        }
        if (types.size() > COLUMNS_MAX) {
            throw UniserveException.invalid("rows of " + types.size() + " columns, at most " + COLUMNS_MAX);
        }
    }

    private static void write(BinaryWriter out, SqlRows rows) {
        out.writeInt(rows.types.size());
        rows.types.forEach(out::writeString);
        out.writeInt(rows.rows.size());
        for (List<@Nullable String> row : rows.rows) {
            for (String value : row) {
                out.writeBoolean(value != null);
                if (value != null) {
                    out.writeString(value);
                }
            }
        }
    }

    private static SqlRows read(BinaryReader in) {
        List<String> types = new ArrayList<>();
        for (int left = in.readCount(1); left > 0; left--) {
            types.add(in.readString());
        }
        if (types.isEmpty()) {
            throw new UniserveException(ErrorCode.CORRUPT, "rows without columns");
        }
        int count = in.readCount(types.size());
        List<List<@Nullable String>> rows = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            List<@Nullable String> row = new ArrayList<>(types.size());
            for (int column = 0; column < types.size(); column++) {
                row.add(in.readBoolean() ? in.readString() : null);
            }
            rows.add(Collections.unmodifiableList(row));
        }
        return new SqlRows(types, rows);
    }

    /** All rows of several answers of the same columns; at least one. */
    public static SqlRows concat(List<SqlRows> parts) {
        List<List<@Nullable String>> all = new ArrayList<>();
        for (SqlRows part : parts) {
            if (!part.types.equals(parts.get(0).types)) {
                throw new UniserveException(
                        ErrorCode.PORT_FAILED,
                        "actors answer with columns of different types: " + parts.get(0).types + " and " + part.types);
            }
            all.addAll(part.rows);
        }
        return new SqlRows(parts.get(0).types, all);
    }
}
