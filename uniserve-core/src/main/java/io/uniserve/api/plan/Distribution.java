package io.uniserve.api.plan;

/** Routing of a stage's chunks to the slots of the next stage. */
public enum Distribution {
    /** Each slot receives the chunks put for it. */
    PARTITIONED,
    /** Each source puts one chunk, and every slot receives all of them. */
    BROADCAST,
    /**
     * Each source puts one chunk, which the slot of the same actor receives, without network traffic if it runs on the same server. For
     * consecutive stages on one table.
     */
    COLOCATED
}
