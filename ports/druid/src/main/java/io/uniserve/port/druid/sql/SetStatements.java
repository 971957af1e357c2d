package io.uniserve.port.druid.sql;

import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser of {@code SET key = value;} before a statement. Each SET sets a key of the query context. A value is a text in single quotes, a
 * number, TRUE or FALSE.
 */
final class SetStatements {
    private static final Pattern SET = Pattern.compile(
            "\\s*+SET\\s++([A-Za-z_][A-Za-z0-9_.]*+|\"[^\"]++\")\\s*+=\\s*+"
                    + "('(?:[^']|'')*+'|[-+]?+[0-9][0-9.eE+-]*+|TRUE|FALSE)\\s*+;",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern STARTS = Pattern.compile("\\s*+SET\\s", Pattern.CASE_INSENSITIVE);

    private SetStatements() {}

    /** Returns the statement, without SETs before it and semicolons at its end, with the query context of the SETs. */
    static SqlRequest parse(String text) {
        Map<String, Object> context = new HashMap<>();
        Matcher set = SET.matcher(text);
        int from = 0;
        while (set.region(from, text.length()).lookingAt()) {
            String key = set.group(1);
            context.put(key.startsWith("\"") ? key.substring(1, key.length() - 1) : key, value(set.group(2)));
            from = set.end();
        }
        // Spaces keep the lines and columns of errors.
        String sql = text.substring(0, from).replaceAll("[^\\n]", " ") + text.substring(from);
        if (STARTS.matcher(text.substring(from)).lookingAt()) {
            throw UniserveException.invalid("SET is incomplete at character " + (from + 1)
                    + ": write SET key = value; with a text in single quotes, a number, TRUE or FALSE, and"
                    + " then the statement");
        }
        sql = sql.stripTrailing();
        while (sql.endsWith(";")) {
            sql = sql.substring(0, sql.length() - 1).stripTrailing();
        }
        if (sql.isBlank()) {
            throw UniserveException.invalid("the statement is empty: give a SELECT");
        }
        return new SqlRequest(sql, context, List.of());
    }

    private static Object value(String literal) {
        if (literal.startsWith("'")) {
            return literal.substring(1, literal.length() - 1).replace("''", "'");
        }
        if (literal.equalsIgnoreCase("true") || literal.equalsIgnoreCase("false")) {
            return Boolean.valueOf(literal);
        }
        try {
            return literal.matches("[-+]?[0-9]+") ? (Object) Long.valueOf(literal) : (Object) Double.valueOf(literal);
        } catch (NumberFormatException e) {
            throw UniserveException.invalid("SET has the value " + literal + ", which is not a number: correct it");
        }
    }
}
