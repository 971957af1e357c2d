package io.uniserve.port.solr.query;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Limit on the rows, group documents and range buckets of a query: engines allocate memory for them before they know the actual number.
 * Stateless.
 */
public final class QueryWindowChecker {
    private QueryWindowChecker() {}

    /**
     * Rejects a number above {@link Limits#QUERY_WINDOW_ROWS_MAX}, or NaN, with INVALID_ARGUMENT.
     *
     * @param what the parameters that the user can reduce, for the message
     * @param rows the number; may be a sum or product of parameters, a fraction, or infinite
     */
    public static void check(String what, double rows) {
        if (!(rows <= Limits.QUERY_WINDOW_ROWS_MAX)) {
            throw UniserveException.invalid("%s is %.0f: at most %d; ask for less, or in parts"
                    .formatted(what, rows, Limits.QUERY_WINDOW_ROWS_MAX));
        }
    }

    /** Checks each number that the first group of the pattern finds in the text; see {@link #check(String, double)}. */
    public static void checkEach(String what, String pattern, String text) {
        Pattern.compile(pattern).matcher(text).results().forEach(one -> check(what, Double.parseDouble(one.group(1))));
    }

    /** Numeric parameters of a query. */
    public interface Numbers {
        /** The parameter, or the default. */
        double get(String name, double otherwise);
    }

    /**
     * Checks the size of a page, {@code start} and {@code rows}, times the size of a page of group documents, {@code group.offset} and
     * {@code group.limit}; see {@link #check(String, double)}.
     */
    public static void checkPage(Numbers numbers) {
        double rows = numbers.get("start", 0) + numbers.get("rows", 10);
        check("start + rows", rows);
        double each = numbers.get("group.offset", 0) + numbers.get("group.limit", 1);
        check("(start + rows) * (group.offset + group.limit)", rows * each);
    }

    /** Parser for an engine's dates. */
    public interface Dates {
        /**
         * Parses a date; throws any exception for another text.
         *
         * @param from null, or a date in milliseconds since 1970 to which the text, a gap such as {@code +1DAY}, is added
         * @return milliseconds since 1970
         */
        long millis(String text, @Nullable Long from);
    }

    /** Checks every range in a tree of maps; see {@link #checkRange}. */
    public static void checkRanges(@Nullable Object tree, Dates dates) {
        if (tree instanceof Map<?, ?> map) {
            map.values().forEach(inner -> checkRanges(inner, dates));
            checkRange(name -> map.get(name) == null ? "" : String.valueOf(map.get(name)), dates);
        }
    }

    /**
     * Rejects a range with too many buckets: {@code start}, {@code end} and {@code gap}, numbers or dates; ignored if one is empty. A gap
     * that ends with an upper case letter is a time span.
     */
    public static void checkRange(UnaryOperator<String> value, Dates dates) {
        String gap = value.apply("gap");
        if (!value.apply("start").isEmpty() && !value.apply("end").isEmpty() && !gap.isEmpty()) {
            double start = number("start", value, dates);
            boolean time = gap.matches("(?s).*[A-Z]");
            Dates fromStart = (text, none) -> dates.millis(text, (long) start);
            double width = time ? number("gap", value, fromStart) - start : number("gap", value, dates);
            check("(end - start) / gap", (number("end", value, dates) - start) / width);
        }
    }

    private static double number(String name, UnaryOperator<String> value, Dates dates) {
        String text = value.apply(name);
        try {
            return text.matches("[-+\\d.eE]+") ? Double.parseDouble(text) : dates.millis(text, null);
        } catch (RuntimeException e) {
            throw UniserveException.invalid("a range's " + name + " is \"" + PrintableText.line(text)
                    + "\": give it a number or a date; " + PrintableText.line(String.valueOf(e.getMessage())));
        }
    }
}
