package io.uniserve.model;

import io.uniserve.error.UniserveException;

/** Host and TCP port. */
public record Address(String host, int port) {
    public Address {
        if (host.isBlank() || port < 1 || port > 65_535) {
            throw UniserveException.invalid(
                    "address " + TableName.quote(host + ":" + port) + ": use HOST:PORT, port 1 to 65535");
        }
    }

    /** Parses {@code host:port}. */
    public static Address parse(String text) {
        int colon = text.lastIndexOf(':');
        try {
            return new Address(text.substring(0, Math.max(0, colon)), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new UniserveException(
                    io.uniserve.error.ErrorCode.INVALID_ARGUMENT,
                    "address " + TableName.quote(text) + ": use HOST:PORT",
                    e);
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
