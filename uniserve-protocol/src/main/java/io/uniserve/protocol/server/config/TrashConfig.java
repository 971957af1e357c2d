package io.uniserve.protocol.server.config;

/**
 * Settings for replicas of tables that the registry does not know.
 *
 * @param retentionMs time that they stay in the trash
 * @param bytesMax size of the trash above which the oldest are deleted earlier
 * @param startMs wall clock at the start, in milliseconds since 1970; later times follow from the server's own clock
 * @param registry description of the registry, for errors
 * @param acceptUnknown true permits that all replicas of the server go to the trash at once
 */
public record TrashConfig(long retentionMs, long bytesMax, long startMs, String registry, boolean acceptUnknown) {
    private static final long DAY_MS = 86_400_000;

    /** The defaults for production, without a limit of the size. */
    public static TrashConfig defaults() {
        return new TrashConfig(DAY_MS, Long.MAX_VALUE, 0, "the registry", false);
    }
}
