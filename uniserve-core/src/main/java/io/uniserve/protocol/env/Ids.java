package io.uniserve.protocol.env;

/** Random numbers for identities and jitter; seeded in the simulator. Safe for use by several threads. */
public interface Ids {
    long next();
}
