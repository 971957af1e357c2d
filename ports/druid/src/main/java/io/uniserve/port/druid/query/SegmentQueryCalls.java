package io.uniserve.port.druid.query;

import io.uniserve.api.operator.RetrieveCall;

/** Calls that planners make to actors. */
public final class SegmentQueryCalls {
    /** Runs a query on all segments of an actor that overlap its intervals. */
    public static final RetrieveCall<SegmentQuery<?>, PartialResults> RESULTS =
            new RetrieveCall<>("druid.query@1", SegmentQuery.CODEC, PartialResults.CODEC);

    private SegmentQueryCalls() {}
}
