package io.uniserve.protocol.env;

/** Result of a check of valid rows: the state on which the result depends. */
public enum RowStateDependency {
    /** The rows are valid in every state of the actor. */
    NONE,
    /** The rows have a condition that holds in the checked state, and perhaps not in a later one. */
    ON_STATE
}
