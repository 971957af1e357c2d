package io.uniserve.model;

import io.uniserve.error.UniserveException;

/** Identity of a server, stored in its data directory: 1 to 64 characters of {@code [A-Za-z0-9_-]}, a UUID in production. */
public record ServerId(String value) implements Comparable<ServerId> {
    private static final int LENGTH_MAX = 64;

    public ServerId {
        // without a regular expression: ids come with every ping, and it would cost more than all other checks
        if (value.isEmpty() || value.length() > LENGTH_MAX || !isAllowed(value)) {
            throw UniserveException.invalid(
                    "server id " + TableName.quote(value) + ": use 1 to 64 characters of A-Z a-z 0-9 _ -");
        }
    }

    private static boolean isAllowed(String value) {
        for (int i = 0; i < value.length(); i++) {
            if (!isAllowed(value.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAllowed(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-';
    }

    @Override
    public int compareTo(ServerId other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
