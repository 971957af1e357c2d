package io.uniserve.port.druid.segment;

import java.util.ArrayList;
import java.util.List;
import org.joda.time.Interval;
import org.jspecify.annotations.Nullable;

/** Segments and pending rows of an actor in one interval of the table's segmentGranularity. Used on the actor's update thread. */
final class IntervalSegments {
    private final Interval interval;
    private final List<StoredSegment> segments = new ArrayList<>();
    private @Nullable PendingIndex pending;

    IntervalSegments(Interval interval) {
        this.interval = interval;
    }

    Interval interval() {
        return interval;
    }

    /** Segments in the order of their numbers. */
    List<StoredSegment> segments() {
        return segments;
    }

    @Nullable
    PendingIndex pending() {
        return pending;
    }

    PendingIndex pendingOr(TableSchema schema, String table) {
        PendingIndex present = pending;
        if (present == null) {
            present = new PendingIndex(schema, table, interval);
            pending = present;
        }
        return present;
    }

    void clearPending() {
        pending = null;
    }

    int pendingRows() {
        return pending == null ? 0 : pending.added();
    }

    long pendingBytes() {
        return pending == null ? 0 : pending.addedBytes();
    }
}
