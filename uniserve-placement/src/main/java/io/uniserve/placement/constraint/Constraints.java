package io.uniserve.placement.constraint;

import java.util.List;

/** Constraints that apply to every placement. */
public final class Constraints {
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
