package io.uniserve.api.plan;

/** How the chunks of a stage come to the one after it. */
public enum Distribution {
    /** Each slot gets the chunks that were put for it. */
    CUT,
    /** Every slot gets all of them: each source puts one. */
    BROADCAST,
    /**
     * Each source puts one, which the same actor's slot gets, on the server that has it where that can be: for stages at the
     * same table, one after the other.
     */
    KEPT
}
