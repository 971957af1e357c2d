package io.uniserve.protocol.gate;

/**
 * What a driver says of its version in flight.
 *
 * @param version of which nobody can know that it is committed
 * @param untilNanos by the server's clock
 */
public record UncommittedClaim(long version, long untilNanos) {
    /** Says nothing of any version. */
    public static final UncommittedClaim NONE = new UncommittedClaim(0, 0);

    /**
     * The version that is denied at this moment, 0 for none. The clock was read first, {@code known} last.
     *
     * @param known the newest version of the table that the server tells readers of
     */
    public long at(long known, long nowNanos) {
        return version > known && nowNanos - untilNanos < 0 ? version : 0;
    }
}
