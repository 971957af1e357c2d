package io.uniserve.runtime.time;

import io.uniserve.protocol.env.Ids;
import java.security.SecureRandom;

/** Random numbers that no two processes share: they become identities. */
public final class RandomIds implements Ids {
    private final SecureRandom random = new SecureRandom();

    @Override
    public long next() {
        return random.nextLong();
    }
}
