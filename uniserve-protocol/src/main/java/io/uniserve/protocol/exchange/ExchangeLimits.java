package io.uniserve.protocol.exchange;

import io.uniserve.limit.Limits;

/**
 * Limits of a server's exchange.
 *
 * @param queryMemoryBytes chunks of one query in memory; more go to files
 * @param serverMemoryBytes chunks of all queries in memory
 * @param querySpillBytes chunks of one query in files; more fail with TOO_LARGE
 * @param serverSpillBytes chunks of all queries in files; more fail with RESOURCE_EXHAUSTED
 * @param inFlightBytes chunks that are arriving; one more chunk of any size is permitted
 * @param pieceBytes chunk bytes per message
 * @param pullTimeoutNanos time-out of a request for pieces
 * @param pullAttempts number of attempts per piece
 */
public record ExchangeLimits(
        long queryMemoryBytes,
        long serverMemoryBytes,
        long querySpillBytes,
        long serverSpillBytes,
        int inFlightBytes,
        int pieceBytes,
        long pullTimeoutNanos,
        int pullAttempts) {
    public static final ExchangeLimits DEFAULTS = new ExchangeLimits(
            Limits.EXCHANGE_QUERY_MEMORY_BYTES,
            Limits.EXCHANGE_SERVER_MEMORY_BYTES,
            Limits.EXCHANGE_QUERY_SPILL_BYTES_MAX,
            Limits.EXCHANGE_SERVER_SPILL_BYTES_MAX,
            Limits.EXCHANGE_IN_FLIGHT_BYTES,
            Limits.EXCHANGE_PIECE_BYTES,
            Limits.EXCHANGE_PULL_TIMEOUT_MS * 1_000_000,
            Limits.EXCHANGE_PULL_ATTEMPTS);

    /** The same with these limits of memory and files. */
    public ExchangeLimits with(long queryMemory, long serverMemory, long queryFiles, long serverFiles) {
        return new ExchangeLimits(
                queryMemory,
                serverMemory,
                queryFiles,
                serverFiles,
                inFlightBytes,
                pieceBytes,
                pullTimeoutNanos,
                pullAttempts);
    }
}
