package io.uniserve.protocol.env;

/** Source of random numbers for identities and jitter; seeded in the simulator. Thread-safe. */
public interface IdGenerator {
    long next();
}
