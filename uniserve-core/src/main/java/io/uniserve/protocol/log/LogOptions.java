package io.uniserve.protocol.log;

import io.uniserve.limit.Limits;

/**
 * Sizes of a log.
 *
 * @param segmentBytes a new segment begins when this one would grow beyond
 * @param cacheBytes recent entries kept in memory; older ones are read from disk
 * @param bytesMax updates are refused beyond (LOG_FULL)
 * @param retainBytes newest bytes that are kept though nothing needs them, for replicas that were away
 */
public record LogOptions(int segmentBytes, long cacheBytes, long bytesMax, long retainBytes) {
    /** Keeps as much as production does. */
    public LogOptions(int segmentBytes, long cacheBytes, long bytesMax) {
        this(segmentBytes, cacheBytes, bytesMax, Limits.LOG_RETAIN_BYTES_DEFAULT);
    }

    /** The defaults of production. */
    public static LogOptions defaults() {
        return new LogOptions(Limits.LOG_SEGMENT_BYTES, 8L << 20, Limits.LOG_BYTES_PER_ACTOR_MAX_DEFAULT);
    }
}
