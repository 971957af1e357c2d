package io.uniserve.port.druid.segment;

import java.util.Objects;
import org.apache.druid.data.input.InputRow;
import org.apache.druid.segment.IncrementalIndexSegment;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.segment.incremental.IndexSizeExceededException;
import org.apache.druid.segment.incremental.OnheapIncrementalIndex;
import org.apache.druid.timeline.SegmentId;
import org.joda.time.Interval;

/**
 * Pending rows of one segment interval: Druid's incremental index, with roll-up if the table has it. Queries read it while the actor's update
 * thread adds rows.
 */
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

    /** Encoded bytes of the rows before roll-up. */
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
