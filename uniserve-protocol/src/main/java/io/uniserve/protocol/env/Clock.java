package io.uniserve.protocol.env;

/** Clocks of this process. Thread-safe. */
public interface Clock {
    /** The monotonic clock. It may drift from other clocks by the configured limit. */
    long nanos();

    /**
     * The wall clock in milliseconds since 1970. It may jump, and may differ from those of other processes, so no fencing or lease depends on
     * it. It decides when chunks of TIME tables expire and which rows are in the future.
     *
     * @throws UnsupportedOperationException if this clock measures durations only
     */
    default long wallMillis() {
        throw new UnsupportedOperationException("this clock measures durations only");
    }
}
