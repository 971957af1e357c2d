package io.uniserve.client.operation;

import io.uniserve.protocol.env.IdGenerator;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generator of query ids and jitter: a mixed counter with a random start (SplitMix64), much cheaper than secure random numbers.
 * Thread-safe.
 */
public final class RequestIdGenerator implements IdGenerator {
    private final AtomicLong counter;

    public RequestIdGenerator(long start) {
        this.counter = new AtomicLong(start);
    }

    @Override
    public long next() {
        long z = counter.addAndGet(0x9e3779b97f4a7c15L);
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
