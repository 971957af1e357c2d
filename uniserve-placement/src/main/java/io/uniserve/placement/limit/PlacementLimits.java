package io.uniserve.placement.limit;

/** Limits of placement, in addition to those of {@code io.uniserve.limit.Limits}: simulated clusters may be larger than real ones. */
public final class PlacementLimits {
    public static final int ACTORS_MAX = 1_000_000;
    public static final int SERVERS_MAX = 16_384;
    public static final int SHARD_SETS_MAX = 100_000;
    public static final int ROUNDS_MAX = 10_000;

    /** Maximum number of counts of actors per shard set and server, of two bytes each. */
    public static final int SET_COUNTS_MAX = 256 << 20;

    private PlacementLimits() {}
}
