package io.uniserve.model;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/** Name of a table: a letter, then letters, digits, {@code _} or {@code -}; at most 64 characters. Never part of a file path. */
public record TableName(String value) implements Comparable<TableName> {
    public TableName {
        if (!isWellFormed(value)) {
            throw UniserveException.invalid(
                    "table name " + quote(value) + ": use a letter, then letters, digits, _ or -, at most "
                            + Limits.NAME_LENGTH_MAX + " characters");
        }
    }

    private static boolean isWellFormed(String name) {
        if (name.isEmpty() || name.length() > Limits.NAME_LENGTH_MAX || !isLetter(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) { // no stream: every read has a name
            char c = name.charAt(i);
            if (!isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-') {
                return false;
            }
        }
        return true;
    }

    private static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    /** The text in quotes, shortened and without control characters, for an error message. */
    static String quote(String text) {
        String cut = text.length() > 40 ? text.substring(0, 40) + "..." : text;
        return '"' + cut.replaceAll("\\p{Cntrl}", "?") + '"';
    }

    @Override
    public int compareTo(TableName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
