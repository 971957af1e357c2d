package io.uniserve.api.plan;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Map;
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

    /** Refuses what {@link #check} does for a page, each of whose rows may be a group with a page of documents of its own. */
    public static void checkPage(double start, double rows, double groupOffset, double groupLimit) {
        check("start + rows", start + rows);
        check("(start + rows) * (group.offset + group.limit)", (start + rows) * (groupOffset + groupLimit));
    }

    /** Reads an engine's dates. */
    public interface Dates {
        /** Milliseconds since 1970 of a date, or, from a date on, of where a gap such as {@code +1DAY} leads. */
        long millis(String text, @Nullable Long from);
    }

    /**
     * Refuses ranges of too many buckets, wherever a tree of maps has one: a map with {@code start}, {@code end} and
     * {@code gap} that are not empty, numbers or dates or their texts. Gaps that end with a capital letter are of time.
     */
    public static void checkRanges(@Nullable Object tree, Dates dates) {
        if (tree instanceof Map<?, ?> map) {
            map.values().forEach(inner -> checkRanges(inner, dates));
            String gap = text(map, "gap");
            if (!text(map, "start").isEmpty() && !text(map, "end").isEmpty() && !gap.isEmpty()) {
                double start = number(text(map, "start"), dates);
                boolean time = gap.matches("(?s).*[A-Z]");
                double width = time ? dates.millis(gap, (long) start) - start : number(gap, dates);
                check("(end - start) / gap", (number(text(map, "end"), dates) - start) / width);
            }
        }
    }

    private static String text(Map<?, ?> map, String name) {
        return map.get(name) == null ? "" : String.valueOf(map.get(name));
    }

    private static double number(String text, Dates dates) {
        return text.matches("[-+\\d.eE]+") ? Double.parseDouble(text) : dates.millis(text, null);
    }
}
