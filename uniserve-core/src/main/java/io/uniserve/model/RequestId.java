package io.uniserve.model;

/**
 * Identity of an update: the client (128 random bits) and its counter. A retry has the same id and the same content. An actor applies an id
 * at most once.
 */
public record RequestId(long clientHigh, long clientLow, long sequence) {
    @Override
    public String toString() {
        return "%016x%016x-%d".formatted(clientHigh, clientLow, sequence);
    }
}
