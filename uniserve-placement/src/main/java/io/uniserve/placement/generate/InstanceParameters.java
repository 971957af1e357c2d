package io.uniserve.placement.generate;

/**
 * Parameters of a generated problem.
 *
 * @param actors number of actors; there is one server per ten actors
 * @param sets number of shard sets, limited by the number of distinct ones
 * @param rounds number of rounds
 * @param change difference between rounds
 * @param mix kind of shard sets
 * @param rf minimum replicas per actor; servers have 16 slots per replica
 */
public record InstanceParameters(int actors, int sets, int rounds, Change change, Mix mix, int rf) {
    /** Change of loads and sets between rounds. */
    public enum Change {
        /** A tenth of the actors change their rank in the order of loads, all loads get noise, a tenth of the sets is new. */
        DRIFT,
        /** All loads and sets are drawn again. */
        RESAMPLE
    }

    /** Kinds of shard sets. */
    public enum Mix {
        /** Ranges of 2 to 8 actors. */
        RANGE,
        /** 80% such ranges, 15% scattered sets of 2 to 8, 5% ranges of 16 and more. */
        MIXED
    }

    /** Returns parameters with 1,000 shard sets, 10 rounds and rf 1. */
    public static InstanceParameters of(int actors, Change change, Mix mix) {
        return new InstanceParameters(actors, 1_000, 10, change, mix, 1);
    }
}
