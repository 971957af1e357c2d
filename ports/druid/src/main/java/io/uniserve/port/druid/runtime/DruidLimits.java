package io.uniserve.port.druid.runtime;

/** Limits of the Druid port. Buffers are per process and role, planner or actors; see {@link QueryFactories}. */
public final class DruidLimits {
    /** Bytes of a buffer for the aggregators of one topN, timeseries or vectorized query of one segment. */
    public static final int COMPUTE_BUFFER_BYTES = 8 * 1024 * 1024;

    /** Bytes of a buffer in which a groupBy merges its groups. Groups that do not fit are spilled to files. */
    public static final int MERGE_BUFFER_BYTES = 16 * 1024 * 1024;

    /** Number of merge buffers per role. It limits the groupBy queries that run at the same time. */
    public static final int MERGE_BUFFERS = 6;

    /** Maximum size of the files that one groupBy spills per actor, in Druid's notation. More fails with TOO_LARGE. */
    public static final String SPILL_BYTES = "1GiB";

    /** Maximum number of characters of a text that a function of an expression returns. */
    public static final int EXPRESSION_CHARS_MAX = 16 * 1024 * 1024;

    /** Maximum of the estimated bytes of a scan's rows per actor. */
    public static final long SCAN_BYTES_MAX = 64L * 1024 * 1024;

    private DruidLimits() {}
}
