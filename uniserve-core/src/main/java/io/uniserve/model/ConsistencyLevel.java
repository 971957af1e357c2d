package io.uniserve.model;

/** Consistency level of a table, fixed at its creation. The table's port must support it. */
public enum ConsistencyLevel {
    /** Updates succeed or fail per actor, and queries of several actors are no snapshots. */
    EVENTUAL,
    /** Every update is applied by all its actors or by none. Queries are served as at {@link #FULLY_SERIALIZABLE}. */
    SERIALIZABLE,
    /** The same, and every query reads one version of the table. */
    FULLY_SERIALIZABLE;

    /** True if every update is applied by all its actors or by none. */
    public boolean atomic() {
        return this != EVENTUAL;
    }
}
