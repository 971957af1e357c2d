package io.uniserve.protocol.gate;

/**
 * Claim of a transaction manager that its version in flight is not visible.
 *
 * @param version the version
 * @param untilNanos end of the claim, by the server's clock
 */
public record UncommittedClaim(long version, long untilNanos) {
    /** No claim. */
    public static final UncommittedClaim NONE = new UncommittedClaim(0, 0);

    /**
     * The version that is not visible at this moment; 0 for none. The caller must read the clock first and {@code known} last.
     *
     * @param known the newest version of the table that the server has published to readers
     */
    public long versionAt(long known, long nowNanos) {
        return version > known && nowNanos - untilNanos < 0 ? version : 0;
    }
}
