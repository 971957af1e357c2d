package io.uniserve.api.extra;

/**
 * Update function whose rows take the place of others that it does not name, such as all rows of an interval. Its name, after the last dot,
 * begins with {@code replace}. Clients do not send its rows in several updates: each would delete the rows of the one before. Stateless.
 *
 * <pre>{@code
 * ReplacingUpdate.isReplacing("druid.replace@1"); // true
 * }</pre>
 */
public final class ReplacingUpdate {
    private static final String PREFIX = "replace";

    private ReplacingUpdate() {}

    /** Returns whether an update function, {@code name@version}, replaces rows that it does not name. */
    public static boolean isReplacing(String function) {
        return function.substring(function.lastIndexOf('.') + 1).startsWith(PREFIX);
    }
}
