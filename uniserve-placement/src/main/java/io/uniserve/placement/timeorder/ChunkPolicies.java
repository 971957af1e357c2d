package io.uniserve.placement.timeorder;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.placement.ChunkPolicy;
import java.util.List;

/** Policies for new chunks that a configuration can name. */
public final class ChunkPolicies {
    /** EASY: the servers of least predicted load over their actors' remaining life. The default. */
    public static final String EASY = "easy";

    /** Druid's cost balancer: the servers whose chunks are farthest in time. */
    public static final String SPREAD = "spread";

    /** Pinot's: the servers with the fewest actors. */
    public static final String BALANCE_NUM = "balance-num";

    /** Number of chunks after which nearness counts half: one day of hourly chunks. */
    private static final double SPREAD_HALF_LIFE = 24;

    private ChunkPolicies() {}

    /** Returns the names. */
    public static List<String> names() {
        return List.of(EASY, SPREAD, BALANCE_NUM);
    }

    /** Returns the policy with this name. Fails with INVALID_ARGUMENT, with the names. */
    public static ChunkPolicy byName(String name) {
        return switch (name) {
            case EASY -> new CostChunkPolicy(ServerSelector.easy(), "CPU ms predicted", true);
            case SPREAD -> new CostChunkPolicy(ServerSelector.spread(SPREAD_HALF_LIFE), "nearness in time", false);
            case BALANCE_NUM -> new CostChunkPolicy(ServerSelector.balanceNum(), "actors", false);
            default ->
                throw UniserveException.invalid("chunk policy '" + PrintableText.line(name)
                        + "' is unknown: use one of " + String.join(", ", names()));
        };
    }
}
