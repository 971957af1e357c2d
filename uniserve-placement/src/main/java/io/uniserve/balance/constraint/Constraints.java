package io.uniserve.balance.constraint;

import java.util.List;

/** The constraints that always hold. */
public final class Constraints {
    /** Reasons told per constraint. */
    static final int TOLD_MAX = 3;

    private Constraints() {}

    /** All but a limit of moves: {@link MovesLimit} is asked for. */
    public static List<Constraint> standard() {
        return List.of(
                new WellFormed(),
                new LastReplica(),
                new MemoryCapacity(),
                new ReplicationFactor(),
                new Zones(),
                new LoadBalance());
    }
}
