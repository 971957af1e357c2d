package io.uniserve.port.druid.runtime;

import java.util.concurrent.atomic.AtomicLong;

/** Ids of queries, unique in this process. Druid reserves merge buffers by them. Thread-safe. */
public final class QueryIds {
    private static final AtomicLong COUNTER = new AtomicLong();

    private QueryIds() {}

    /** Returns a new id. */
    public static String next() {
        return "uniserve-" + COUNTER.incrementAndGet();
    }
}
