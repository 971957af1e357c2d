package io.uniserve.protocol.exchange;

import io.uniserve.limit.Limits;

/**
 * Bounds of a server's exchange.
 *
 * @param queryMemoryBytes chunks of one query in memory; more go to files
 * @param serverMemoryBytes chunks of all queries in memory
 * @param querySpillBytes chunks of one query in files; more are refused with TOO_LARGE
 * @param serverSpillBytes chunks of all queries in files; more are refused with RESOURCE_EXHAUSTED
 * @param inFlightBytes chunks that are being received; one more may be, of any size
 * @param pieceBytes of chunks that one message carries
 * @param pullTimeoutNanos how long a piece is waited for
 * @param pullAttempts how often it is asked for
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

    /** The same with these bounds of memory and files. */
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
