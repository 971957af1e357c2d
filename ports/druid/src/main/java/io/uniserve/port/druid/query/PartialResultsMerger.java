package io.uniserve.port.druid.query;

import io.uniserve.api.operator.Merger;
import java.util.List;
import java.util.OptionalLong;

/** Merger of the results of a server's actors, all at once, as a data node of Druid merges those of its segments. Stateless. */
final class PartialResultsMerger implements Merger<SegmentQuery<?>, PartialResults> {
    @Override
    public PartialResults merge(SegmentQuery<?> request, PartialResults left, PartialResults right) {
        return PartialResults.merge(request, List.of(left, right));
    }

    @Override
    public PartialResults mergeAll(SegmentQuery<?> request, List<PartialResults> values) {
        return PartialResults.merge(request, values);
    }

    @Override
    public OptionalLong estimateBytes(PartialResults value) {
        return OptionalLong.of(value.estimateBytes());
    }
}
