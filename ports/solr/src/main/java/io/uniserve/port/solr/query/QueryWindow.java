package io.uniserve.port.solr.query;

import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The bound on what a query asks an engine to hold at once: engines take memory for the rows of a page, the documents of
 * groups or the buckets of a range before they know how many there are.
 */
public final class QueryWindow {
    private QueryWindow() {}

    /**
     * Refuses more than {@link Limits#QUERY_WINDOW_ROWS_MAX}, and what is no number, with INVALID_ARGUMENT.
     *
     * @param what the fields that the user can make smaller
     * @param rows may be a sum or product of what was given: fractions and infinity are no harm
     */
    public static void check(String what, double rows) {
        if (!(rows <= Limits.QUERY_WINDOW_ROWS_MAX)) {
            throw UniserveException.invalid("%s is %.0f: at most %d; ask for less, or in parts"
                    .formatted(what, rows, Limits.QUERY_WINDOW_ROWS_MAX));
        }
    }

    /** As {@link #check(String, double)}, for each number that the pattern's first group finds in the text. */
    public static void checkEach(String what, String pattern, String text) {
        Pattern.compile(pattern).matcher(text).results().forEach(one -> check(what, Double.parseDouble(one.group(1))));
    }

    /** A query's numbers by name. */
    public interface Numbers {
        /** The number, or what it is where none is given. */
        double get(String name, double otherwise);
    }

    /**
     * Refuses what {@link #check} does for a page, {@code start} and {@code rows}, each of whose rows may be a group with a
     * page of documents of its own, {@code group.offset} and {@code group.limit}.
     */
    public static void checkPage(Numbers numbers) {
        double rows = numbers.get("start", 0) + numbers.get("rows", 10);
        check("start + rows", rows);
        double each = numbers.get("group.offset", 0) + numbers.get("group.limit", 1);
        check("(start + rows) * (group.offset + group.limit)", rows * each);
    }

    /** Reads an engine's dates. */
    public interface Dates {
        /** Any exception where the text is none. Milliseconds since 1970 of a date, or, from a date on, of where a gap such as {@code +1DAY} leads. */
        long millis(String text, @Nullable Long from);
    }

    /** Refuses ranges of too many buckets, wherever a tree of maps has one, as {@link #checkRange} does. */
    public static void checkRanges(@Nullable Object tree, Dates dates) {
        if (tree instanceof Map<?, ?> map) {
            map.values().forEach(inner -> checkRanges(inner, dates));
            checkRange(name -> map.get(name) == null ? "" : String.valueOf(map.get(name)), dates);
        }
    }

    /**
     * Refuses a range of too many buckets: {@code start}, {@code end} and {@code gap}, if none is empty, are numbers or dates.
     * A gap that ends with a capital letter is of time.
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
            throw UniserveException.invalid("a range's " + name + " is \"" + Printable.line(text)
                    + "\": give it a number or a date; " + Printable.line(String.valueOf(e.getMessage())));
        }
    }
}
