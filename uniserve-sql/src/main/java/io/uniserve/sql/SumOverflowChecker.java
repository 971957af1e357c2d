package io.uniserve.sql;

import io.uniserve.error.UniserveException;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sums of a statement's groups, for an engine of 64 bits that does not live to tell that one is larger: it is asked first what all
 * values are together, whatever their signs and groups, as one double, which is a bound for every group.
 */
public final class SumOverflowChecker {
    /** Of a number's digits without its point; less than 2 to the 63rd by more than a double is wrong. */
    private static final double MOST = 9.2e18;

    private static final String SUM = "sum(";
    private static final String DISTINCT = "DISTINCT ";

    private SumOverflowChecker() {}

    /** Asks the engine a statement. */
    @FunctionalInterface
    public interface Engine {
        SqlRows ask(String statement) throws SQLException;
    }

    /**
     * INVALID_ARGUMENT where a group's sum could be beyond 64 bits; asks nothing of a statement without such sums.
     *
     * @param statement as this module wrote it, and so is what the engine is asked: {@link SqlDialect} comes after
     */
    public static void check(String statement, Engine engine) throws SQLException {
        int from = at(statement, " FROM ", 0);
        int group = from < 0 ? -1 : at(statement, " GROUP BY ", from);
        if (group < 0) {
            return;
        }
        Set<String> values = new LinkedHashSet<>();
        summed(statement.substring(0, from), values);
        summed(statement.substring(group), values);
        if (values.isEmpty()) {
            return;
        }
        SqlRows found = engine.ask(values.stream()
                .map(value -> "max(" + value + "), sum(abs(CAST(" + value + " AS DOUBLE)))")
                .collect(Collectors.joining(", ", "SELECT ", statement.substring(from, group))));
        List<@Nullable String> bounds = found.rows().get(0);
        for (int i = 0; i < bounds.size(); i += 2) {
            String type = found.types().get(i);
            String bound = bounds.get(i + 1);
            // A sum of doubles that is too large has failed here already, where it is none of a group.
            if (bound != null && !type.equals("DOUBLE") && Double.parseDouble(bound) >= MOST / shift(type)) {
                throw UniserveException.invalid("the query fails on some value: sums of groups of type " + type
                        + " could be out of range, as all values together, without their signs, are " + bound
                        + ": use WHERE, or CAST to DOUBLE");
            }
        }
    }

    private static double shift(String type) {
        return Math.pow(10, SqlTables.columnTypes(List.of(type)).get(0).scale());
    }

    /** Where these words stand outside of parentheses and quotes; -1 where they do not. */
    private static int at(String statement, String words, int start) {
        int depth = 0;
        for (int i = start; i < statement.length(); i = past(statement, i)) {
            depth += depth(statement.charAt(i));
            if (depth == 0 && statement.startsWith(words, i)) {
                return i;
            }
        }
        return -1;
    }

    /** What is summed anywhere in a text. */
    private static void summed(String text, Set<String> values) {
        for (int i = 0; i < text.length(); i = past(text, i)) {
            if (text.startsWith(SUM, i) && (i == 0 || !Character.isLetterOrDigit(text.charAt(i - 1)))) {
                int end = i + SUM.length();
                for (int depth = 1; end < text.length(); end = past(text, end)) {
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

    /** Behind a character, or behind what it opens a quotation of. */
    private static int past(String text, int i) {
        char character = text.charAt(i);
        int end = character == '\'' || character == '"' ? text.indexOf(character, i + 1) : i;
        return (end < 0 ? text.length() : end) + 1;
    }
}
