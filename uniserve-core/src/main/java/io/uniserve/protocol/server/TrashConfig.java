package io.uniserve.protocol.server;

/**
 * What a server does with replicas of tables that the registry does not know.
 *
 * @param retentionMs how long they stay in the trash
 * @param bytesMax above this size of the trash the oldest go before that
 * @param startMs the wall clock at the start, in milliseconds since 1970: from there on the server's own clock counts
 * @param registry the registry, as errors name it
 * @param acceptUnknown whether all of the server's replicas may go to the trash at once
 */
public record TrashConfig(long retentionMs, long bytesMax, long startMs, String registry, boolean acceptUnknown) {
    private static final long DAY_MS = 86_400_000;

    /** The defaults of production, but for the size. */
    public static TrashConfig defaults() {
        return new TrashConfig(DAY_MS, Long.MAX_VALUE, 0, "the registry", false);
    }
}
