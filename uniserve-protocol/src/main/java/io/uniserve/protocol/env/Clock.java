package io.uniserve.protocol.env;

/** This process's own monotonic clock. It may drift from other clocks by the configured limit. Thread-safe. */
public interface Clock {
    long nanos();
}
