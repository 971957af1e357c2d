package io.uniserve.port.druid.segment;

import java.util.Objects;
import org.apache.druid.data.input.InputRow;
import org.apache.druid.segment.IncrementalIndexSegment;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.segment.incremental.IndexSizeExceededException;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;
import org.apache.druid.timeline.SegmentId;
import org.joda.time.Interval;

/** Rows of one segment interval in memory, with roll-up. Queries read it while rows are added on the actor's update thread. */
final class PendingIndex {
    private final OnheapIncrementalIndex index;
    private final ReferenceCountingSegment segment;
    private int added;
    private long addedBytes;

    PendingIndex(TableSchema schema, String table, Interval interval) {
        index = schema.newIndex(interval.getStartMillis());
        segment = ReferenceCountingSegment.wrapRootGenerationSegment(
                new IncrementalIndexSegment(index, SegmentId.of(table, interval, "pending", 0)));
    }

    void add(InputRow row) throws IndexSizeExceededException {
        Objects.requireNonNull(index.add(row));
        added++;
    }

    /** Counts the encoded bytes of an added row. */
    void addBytes(long bytes) {
        addedBytes += bytes;
    }

    /** Number of rows before roll-up. */
    int added() {
        return added;
    }

    /** Bytes of the rows before roll-up, as encoded. */
    long addedBytes() {
        return addedBytes;
    }

    /** Number of rows after roll-up. */
    int rows() {
        return index.numRows();
    }

    long memoryBytes() {
        return index.getBytesInMemory().get();
    }

    OnheapIncrementalIndex index() {
        return index;
    }

    ReferenceCountingSegment segment() {
        return segment;
    }
}
