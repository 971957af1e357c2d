package io.uniserve.protocol.env;

/** Result of a check of rows that fit the engine: what it depends on. */
public enum RowCondition {
    /** The rows fit whatever the actor holds when they are applied. */
    NONE,
    /** The rows have a condition that holds in the state that was checked, and perhaps in no later one. */
    ON_STATE
}
