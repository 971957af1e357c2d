package io.uniserve.model.access;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;

/**
 * Names of tables that a grant is of: a name, the start of names followed by {@code *}, or {@code *} for all tables. Immutable.
 *
 * <pre>{@code
 * new TablePattern("logs-*").matches(new TableName("logs-2026")); // true
 * }</pre>
 */
public record TablePattern(String text) implements Comparable<TablePattern> {
    /** All tables. */
    public static final TablePattern ALL = new TablePattern("*");

    private static final String ANY = "*";

    /** Fails with INVALID_ARGUMENT if the text is no pattern. */
    public TablePattern {
        String start = text.endsWith(ANY) ? text.substring(0, text.length() - 1) : text;
        boolean all = start.isEmpty() && !text.isEmpty();
        if (!all && !isName(start)) {
            throw UniserveException.invalid("table pattern "
                    + (text.length() <= Limits.NAME_LENGTH_MAX ? '"' + text.replaceAll("\\p{Cntrl}", "?") + '"' : "")
                    + ": use the name of a table, the start of names and *, or *");
        }
    }

    private static boolean isName(String start) {
        try {
            return new TableName(start).value().equals(start);
        } catch (UniserveException e) {
            return false; // the pattern's own message names the whole text
        }
    }

    /** True if the table is one of them. */
    public boolean matches(TableName table) {
        return text.endsWith(ANY)
                ? table.value().startsWith(text.substring(0, text.length() - 1))
                : table.value().equals(text);
    }

    @Override
    public int compareTo(TablePattern other) {
        return text.compareTo(other.text);
    }

    @Override
    public String toString() {
        return text;
    }
}
