package io.uniserve.port.druid.segment;

import java.nio.file.Path;
import java.util.List;
import org.apache.druid.segment.ReferenceCountingSegment;

/**
 * Published state of an actor: the list of segments that queries read. Immutable, except that rows are added to indexes in memory.
 *
 * @param stored segments in files, by interval and number
 * @param pending indexes in memory, as Druid's segments, by interval
 * @param pendingRows rows in these indexes, after roll-up
 * @param pendingMemory bytes of these indexes
 * @param journal file with the pending rows
 * @param journalBytes length of the journal
 */
record SegmentSet(
        List<StoredSegment> stored,
        List<ReferenceCountingSegment> pending,
        long pendingRows,
        long pendingMemory,
        Path journal,
        long journalBytes) {
    SegmentSet {
        stored = List.copyOf(stored);
        pending = List.copyOf(pending);
    }

    long rows() {
        return pendingRows + stored.stream().mapToLong(StoredSegment::rows).sum();
    }

    long storedBytes() {
        return stored.stream().mapToLong(StoredSegment::bytes).sum();
    }
}
