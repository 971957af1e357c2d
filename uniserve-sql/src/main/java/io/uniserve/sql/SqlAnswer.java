package io.uniserve.sql;

import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Bytes;
import java.util.List;
import java.util.StringJoiner;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A query's answer as JSON, a row a line: numbers exactly as the engine has them, days and texts as strings. */
public final class SqlAnswer {
    private static final Pattern NUMBER_TYPE = Pattern.compile("(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DOUBLE|DECIMAL.*");
    private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?");

    private SqlAnswer() {}

    /** The answer with the columns' names. */
    public static Answer of(List<String> names, SqlRows rows) {
        StringJoiner columns = new StringJoiner(",", "{\"columns\":[", "],\n");
        for (int i = 0; i < names.size(); i++) {
            columns.add("{\"name\":" + string(names.get(i)) + ",\"type\":"
                    + string(rows.types().get(i)) + "}");
        }
        StringJoiner lines = new StringJoiner(",\n", "\"rows\":[\n", "\n]}\n").setEmptyValue("\"rows\":[]}\n");
        rows.rows().forEach(row -> lines.add(line(rows.types(), row)));
        return new Answer("application/json", Bytes.utf8(columns.toString() + lines));
    }

    private static String line(List<String> types, List<@Nullable String> row) {
        StringJoiner values = new StringJoiner(",", "[", "]");
        for (int i = 0; i < types.size(); i++) {
            values.add(value(types.get(i), row.get(i)));
        }
        return values.toString();
    }

    private static String value(String type, @Nullable String value) {
        if (value == null) {
            return "null";
        }
        if (type.equals("BOOLEAN")
                || (NUMBER_TYPE.matcher(type).matches() && NUMBER.matcher(value).matches())) {
            return value;
        }
        return string(value);
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
