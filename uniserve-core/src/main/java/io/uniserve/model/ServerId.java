package io.uniserve.model;

import io.uniserve.error.UniserveException;

/** A server's identity, kept in its data directory: 1 to 64 characters of {@code [A-Za-z0-9_-]}, a UUID in production. */
public record ServerId(String value) implements Comparable<ServerId> {
    public ServerId {
        if (!value.matches("[A-Za-z0-9_-]{1,64}")) {
            throw UniserveException.invalid(
                    "server id " + TableName.quote(value) + ": use 1 to 64 characters of A-Z a-z 0-9 _ -");
        }
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
