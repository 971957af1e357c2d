package io.uniserve.balance.generate;

/**
 * What a generated problem is like.
 *
 * @param actors number of actors; there is a server for every ten
 * @param sets number of shard sets, as far as there are so many different ones
 * @param rounds number of rounds
 * @param change how one round differs from the one before
 * @param mix what the shard sets are
 * @param rf least replicas; servers have 16 slots for each
 */
public record InstanceParameters(int actors, int sets, int rounds, Change change, Mix mix, int rf) {
    /** How loads and sets change. */
    public enum Change {
        /** A tenth of the actors change places in the order of loads, all loads get noise, a tenth of the sets is new. */
        DRIFT,
        /** All loads and sets are drawn anew. */
        RESAMPLE
    }

    /** Kinds of shard sets. */
    public enum Mix {
        /** Ranges of 2 to 8 actors. */
        RANGE,
        /** Four fifths such ranges, 15% scattered sets of 2 to 8, 5% ranges of 16 and more. */
        MIXED
    }

    /** 1,000 shard sets over 10 rounds, rf 1. */
    public static InstanceParameters of(int actors, Change change, Mix mix) {
        return new InstanceParameters(actors, 1_000, 10, change, mix, 1);
    }
}
