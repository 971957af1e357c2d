package io.uniserve.protocol.client.routing;

/**
 * The 95th percentile of recent latencies, from two windows of {@value #WINDOW} samples. A bucket is a quarter of a power of two wide, so
 * the error is at most 19%, always upwards. Thread-safe.
 */
public final class LatencyTracker {
    static final int WINDOW = 512;
    private static final int ENOUGH = 32;
    private static final int RECOMPUTE_EVERY = 16;
    private static final int BUCKETS = 64 * 4;

    private int[] older = new int[BUCKETS];
    private int[] newer = new int[BUCKETS];
    private int olderCount;
    private int newerCount;
    private volatile long p95 = -1;

    /** Adds one latency. */
    public synchronized void record(long nanos) {
        newer[bucket(nanos)]++;
        newerCount++;
        int count = olderCount + newerCount;
        if (count >= ENOUGH && newerCount % RECOMPUTE_EVERY == 0) {
            p95 = percentile(count - count / 20);
        }
        if (newerCount == WINDOW) {
            int[] empty = older;
            java.util.Arrays.fill(empty, 0);
            older = newer;
            olderCount = newerCount;
            newer = empty;
            newerCount = 0;
        }
    }

    /** The 95th percentile in nanoseconds, or -1 while there are too few samples. */
    public long p95Nanos() {
        return p95;
    }

    private long percentile(int rank) {
        int seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += older[i] + newer[i];
            if (seen >= rank) {
                return upperEdge(i);
            }
        }
        return upperEdge(BUCKETS - 1);
    }

    private static int bucket(long nanos) {
        long value = Math.max(4, nanos);
        int power = 63 - Long.numberOfLeadingZeros(value);
        return power * 4 + (int) (value >>> (power - 2) & 3);
    }

    private static long upperEdge(int bucket) {
        int power = bucket / 4;
        return power >= 61 ? Long.MAX_VALUE : (1L << power) + ((bucket % 4 + 1L) << (power - 2));
    }
}
