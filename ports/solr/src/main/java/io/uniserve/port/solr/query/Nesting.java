package io.uniserve.port.solr.query;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Arrays;

/**
 * Bound on brackets within each other, for engines whose parsers recurse: so that such a query is refused the same way each time,
 * and does not depend on the stack that a thread has left.
 */
public final class Nesting {
    private static final String OPENING = "([{";
    private static final String CLOSING = ")]}";

    private Nesting() {}

    /** INVALID_ARGUMENT where pairs of brackets are nested deeper than {@link Limits#QUERY_NESTING_MAX}. */
    public static void check(String query) {
        int deepest = depth(query);
        if (deepest > Limits.QUERY_NESTING_MAX) {
            throw UniserveException.invalid("brackets in the query are nested " + deepest + " deep, at most "
                    + Limits.QUERY_NESTING_MAX + "; leave out those that change nothing, or ask several queries");
        }
    }

    /** How deep pairs are nested, of any kind; a bracket without a partner is none. */
    static int depth(String text) {
        int[] inside = new int[16];
        int open = 0;
        int deepest = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (OPENING.indexOf(c) >= 0) {
                open++;
                inside = open < inside.length ? inside : Arrays.copyOf(inside, 2 * inside.length);
                inside[open] = 0;
            } else if (open > 0 && CLOSING.indexOf(c) >= 0) {
                int pair = inside[open--] + 1;
                inside[open] = Math.max(inside[open], pair);
                deepest = Math.max(deepest, pair);
            }
        }
        return deepest;
    }
}
