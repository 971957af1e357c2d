package io.uniserve.sql.rows;

import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;

/** Answer of a query as JSON, one row per line: numbers exactly as the engine has them, dates and texts as strings. */
public final class SqlAnswer {
    private static final Pattern NUMBER_TYPE = Pattern.compile("(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|DECIMAL.*");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");

    private SqlAnswer() {}

    /** Returns the answer with the names of its columns. */
    public static Answer of(List<String> names, SqlRows rows) {
        StringJoiner columns = new StringJoiner(",", "{\"columns\":[", "],\n");
        for (int i = 0; i < names.size(); i++) {
            columns.add("{\"name\":" + string(names.get(i)) + ",\"type\":"
                    + string(rows.types().get(i)) + "}");
        }
        StringJoiner lines = new StringJoiner(",\n", "\"rows\":[\n", "\n]}\n").setEmptyValue("\"rows\":[]}\n");
        List<SqlColumn> all = rows.columns();
        List<Boolean> numbers = all.stream()
                .map(column -> NUMBER_TYPE.matcher(column.type()).matches())
                .toList();
        for (int row = 0; row < rows.count(); row++) {
            lines.add(line(all, numbers, row));
        }
        return new Answer("application/json", Bytes.utf8(columns.toString() + lines)).withRows(rows.count());
    }

    private static String line(List<SqlColumn> columns, List<Boolean> numbers, int row) {
        StringJoiner values = new StringJoiner(",", "[", "]");
        for (int i = 0; i < columns.size(); i++) {
            values.add(value(columns.get(i), numbers.get(i), row));
        }
        return values.toString();
    }

    private static String value(SqlColumn column, boolean number, int row) {
        String value = column.text(row);
        if (value == null) {
            return "null";
        }
        // Doubles may be infinite, which JSON numbers cannot express.
        boolean bare = column.type().equals("BOOLEAN")
                || (number && (isUnquoted(column) || NUMBER.matcher(value).matches()));
        return bare ? value : string(value);
    }

    private static boolean isUnquoted(SqlColumn column) {
        return column.isNumbers() && !column.type().equals("DOUBLE");
    }

    private static String string(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }
}
