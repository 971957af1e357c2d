package io.uniserve.sql.engine;

import io.uniserve.error.UniserveException;
import io.uniserve.sql.rows.SqlRows;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Overflow check for grouped sums, for an engine of 64 bits that crashes when a sum overflows. Before the statement runs, the engine
 * computes the sum of the absolute values over all groups as one double, which is a bound for every group.
 */
public final class SumOverflowChecker {
    /** Bound of a number's digits without its point: less than 2 to the 63rd by more than the error of a double. */
    private static final double SUM_MAX = 9.2e18;

    private static final String SUM = "sum(";
    private static final String DISTINCT = "DISTINCT ";

    private SumOverflowChecker() {}

    /** Engine that runs a statement. */
    @FunctionalInterface
    public interface Engine {
        SqlRows query(String statement) throws SQLException;
    }

    /**
     * Fails with INVALID_ARGUMENT if a group's sum may exceed 64 bits. Statements without such sums run nothing.
     *
     * @param statement as this module wrote it. The engine's statement is in the same form: {@link SqlDialect} is applied later
     */
    public static void check(String statement, Engine engine) throws SQLException {
        int from = indexOutside(statement, " FROM ", 0);
        int group = from < 0 ? -1 : indexOutside(statement, " GROUP BY ", from);
        if (group < 0) {
            return;
        }
        Set<String> values = new LinkedHashSet<>();
        collectSummed(statement.substring(0, from), values);
        collectSummed(statement.substring(group), values);
        if (values.isEmpty()) {
            return;
        }
        SqlRows found = engine.query(values.stream()
                .map(value -> "max(" + value + "), sum(abs(CAST(" + value + " AS DOUBLE)))")
                .collect(Collectors.joining(", ", "SELECT ", statement.substring(from, group))));
        List<@Nullable String> bounds = found.rows().get(0);
        for (int i = 0; i < bounds.size(); i += 2) {
            String type = found.types().get(i);
            String bound = bounds.get(i + 1);
            // A sum of doubles that is too large fails in the engine itself.
            if (bound != null && !type.equals("DOUBLE") && Double.parseDouble(bound) >= SUM_MAX / shift(type)) {
                throw UniserveException.invalid("the query fails on some value: sums of groups of type " + type
                        + " could be out of range, as all values together, without their signs, are " + bound
                        + ": use WHERE, or CAST to DOUBLE");
            }
        }
    }

    private static double shift(String type) {
        return Math.pow(10, SqlTableValidator.columnTypes(List.of(type)).get(0).scale());
    }

    /** Returns the position of these words outside of parentheses and quotes; -1 if there is none. */
    private static int indexOutside(String statement, String words, int start) {
        int depth = 0;
        for (int i = start; i < statement.length(); i = skipQuoted(statement, i)) {
            depth += depth(statement.charAt(i));
            if (depth == 0 && statement.startsWith(words, i)) {
                return i;
            }
        }
        return -1;
    }

    /** Collects the operands of sums anywhere in a text. */
    private static void collectSummed(String text, Set<String> values) {
        for (int i = 0; i < text.length(); i = skipQuoted(text, i)) {
            if (text.startsWith(SUM, i) && (i == 0 || !Character.isLetterOrDigit(text.charAt(i - 1)))) {
                int end = i + SUM.length();
                for (int depth = 1; end < text.length(); end = skipQuoted(text, end)) {
                    depth += depth(text.charAt(end));
                    if (depth == 0) {
                        break;
                    }
                }
                String value = text.substring(i + SUM.length(), end);
                values.add(value.startsWith(DISTINCT) ? value.substring(DISTINCT.length()) : value);
            }
        }
    }

    private static int depth(char character) {
        return character == '(' ? 1 : character == ')' ? -1 : 0;
    }

    /** Returns the position after a character, or after the quotation that it opens. */
    private static int skipQuoted(String text, int i) {
        char character = text.charAt(i);
        int end = character == '\'' || character == '"' ? text.indexOf(character, i + 1) : i;
        return (end < 0 ? text.length() : end) + 1;
    }
}
