package io.uniserve.protocol.env;

/** This process's own monotonic clock; may drift from others' by the configured bound. Safe for use by several threads. */
public interface Clock {
    long nanos();
}
