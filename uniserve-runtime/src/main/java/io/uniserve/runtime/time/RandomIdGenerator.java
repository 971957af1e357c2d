package io.uniserve.runtime.time;

import io.uniserve.protocol.env.IdGenerator;
import java.security.SecureRandom;

/** Generator of random numbers for ids, unique across processes. */
public final class RandomIdGenerator implements IdGenerator {
    private final SecureRandom random = new SecureRandom();

    @Override
    public long next() {
        return random.nextLong();
    }
}
