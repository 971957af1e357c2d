package io.uniserve.port.solr.query;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.Arrays;

/**
 * Limit on nested brackets, for parsers that recurse: a query that nests too deeply is rejected consistently, independent of the free stack
 * of a thread. Stateless.
 */
public final class NestingDepthChecker {
    private static final String OPENING = "([{";
    private static final String CLOSING = ")]}";

    private NestingDepthChecker() {}

    /**
     * Checks a query.
     *
     * @throws UniserveException INVALID_ARGUMENT if pairs of brackets are nested deeper than {@link Limits#QUERY_NESTING_MAX}
     */
    public static void check(String query) {
        int deepest = depth(query);
        if (deepest > Limits.QUERY_NESTING_MAX) {
            throw UniserveException.invalid("brackets in the query are nested " + deepest + " deep, at most "
                    + Limits.QUERY_NESTING_MAX + "; leave out those that change nothing, or ask several queries");
        }
    }

    /** Maximum nesting depth of bracket pairs of any kind; brackets without a partner do not count. */
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
