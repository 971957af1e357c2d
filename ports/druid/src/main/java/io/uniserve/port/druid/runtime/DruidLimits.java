package io.uniserve.port.druid.runtime;

/** Limits of the Druid port. Memory is per process and role; see {@link QueryFactories}. */
public final class DruidLimits {
    /** Bytes of a buffer for the aggregators of one topN, timeseries or vectorized query of one segment. */
    public static final int COMPUTE_BUFFER_BYTES = 8 * 1024 * 1024;

    /** Bytes of a buffer in which a groupBy merges its groups; more groups go to files. */
    public static final int MERGE_BUFFER_BYTES = 16 * 1024 * 1024;

    /** Buffers for merging, so groupBy queries at the same time, per role. */
    public static final int MERGE_BUFFERS = 6;

    /** Bytes of files that one groupBy may spill per actor; more fails with RESOURCE_EXHAUSTED. */
    public static final String SPILL_BYTES = "1GiB";

    /** Characters of a text that a function of an expression makes. */
    public static final int EXPRESSION_CHARS_MAX = 16 * 1024 * 1024;

    /** Bytes of the rows of a scan at an actor, estimated. */
    public static final long SCAN_BYTES_MAX = 64L * 1024 * 1024;

    private DruidLimits() {}
}
