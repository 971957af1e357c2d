package io.uniserve.balance.constraint;

import java.util.List;

/** Constraints that apply to every placement. */
public final class Constraints {
    /** Maximum number of reported reasons per constraint. */
    static final int TOLD_MAX = 3;

    private Constraints() {}

    /** Returns all constraints except {@link MovesLimit}, which is optional. */
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
