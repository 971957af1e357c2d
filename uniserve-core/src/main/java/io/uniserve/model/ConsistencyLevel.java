package io.uniserve.model;

/** A table's consistency level. Only EVENTUAL is served by this version; the others are refused at creation. */
public enum ConsistencyLevel {
    EVENTUAL,
    SERIALIZABLE,
    FULLY_SERIALIZABLE
}
