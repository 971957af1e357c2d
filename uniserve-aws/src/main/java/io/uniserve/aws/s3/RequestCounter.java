package io.uniserve.aws.s3;

import java.util.Map;
import java.util.TreeMap;

/** Number of requests to a store, by the right that each needs. Thread-safe. */
public final class RequestCounter {
    private final TreeMap<String, Long> counts = new TreeMap<>();

    synchronized void onRequest(String action) {
        counts.merge(action, 1L, Long::sum);
    }

    /** Returns the requests since the start, such as {@code s3:GetObject → 12}. */
    public synchronized Map<String, Long> counts() {
        return new TreeMap<>(counts);
    }
}
