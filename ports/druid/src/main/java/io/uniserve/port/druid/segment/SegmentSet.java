package io.uniserve.port.druid.segment;

import java.nio.file.Path;
import java.util.List;
import org.apache.druid.segment.ReferenceCountingSegment;

/**
 * Published state of an actor: one consistent list of segments. Immutable, apart from rows that are being added to segments in memory.
 *
 * @param stored segments in files, by interval and number
 * @param pending segments in memory, by interval
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
