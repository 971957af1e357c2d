package io.uniserve.model;

/** A table's consistency level, fixed at its creation. Its port must offer it. */
public enum ConsistencyLevel {
    /** Updates of several actors succeed and fail apart from each other, and queries are no snapshots over actors. */
    EVENTUAL,
    /** Every update is applied by all its actors or by none. Queries are served as at {@link #FULLY_SERIALIZABLE}. */
    SERIALIZABLE,
    /** The same, and every query sees one version of the table. */
    FULLY_SERIALIZABLE;

    /** Whether every update is applied by all its actors or by none. */
    public boolean atomic() {
        return this != EVENTUAL;
    }
}
