package io.uniserve.protocol.log;

import io.uniserve.limit.Limits;

/**
 * Sizes of a log.
 *
 * @param segmentBytes size above which a new segment starts
 * @param cacheBytes maximum size of a log's recent entries in memory; older ones are read from disk
 * @param bytesMax size above which updates are rejected with LOG_FULL
 * @param retainBytes newest bytes that are always retained, for replicas that return after an absence
 * @param serverCacheBytes maximum size of the recent entries of all logs of a server; each log may use an equal share
 */
public record LogOptions(int segmentBytes, long cacheBytes, long bytesMax, long retainBytes, long serverCacheBytes) {
    /** Sizes without a maximum for all logs of a server. */
    public LogOptions(int segmentBytes, long cacheBytes, long bytesMax, long retainBytes) {
        this(segmentBytes, cacheBytes, bytesMax, retainBytes, Long.MAX_VALUE);
    }

    /** Sizes with the default of production for {@code retainBytes}. */
    public LogOptions(int segmentBytes, long cacheBytes, long bytesMax) {
        this(segmentBytes, cacheBytes, bytesMax, Limits.LOG_RETAIN_BYTES_DEFAULT);
    }

    /** The defaults for production. */
    public static LogOptions defaults() {
        return new LogOptions(Limits.LOG_SEGMENT_BYTES, 8L << 20, Limits.LOG_BYTES_PER_ACTOR_MAX_DEFAULT);
    }
}
