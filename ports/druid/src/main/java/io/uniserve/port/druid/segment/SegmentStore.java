package io.uniserve.port.druid.segment;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.druid.data.input.InputRow;
import org.apache.druid.segment.ReferenceCountingSegment;
import org.apache.druid.segment.incremental.IndexSizeExceededException;
import org.joda.time.Interval;
import org.jspecify.annotations.Nullable;

/**
 * Segments and pending rows of an actor, by interval of the table's segmentGranularity. Used on the actor's update thread.
 *
 * <p>Deterministic: the sequence of rows and drops alone decides which rows become a segment and which segments are merged.
 */
final class SegmentStore {
    /** Maximum of the encoded bytes of an actor's pending rows. */
    static final long PENDING_BYTES_MAX = 32L << 20;

    /** Divisor of the limits: the largest intervals become segments until at most this part of the limit is pending. */
    private static final int KEPT_SHARE = 4;

    /** Records of the journal per row that may be pending. A longer journal is compacted. */
    private static final int JOURNAL_RECORDS_PER_ROW = 2;

    private final TableSchema schema;
    private final String table;
    private final Path scratch;
    private final DruidRowReader reader;
    private final SegmentWriter writer;
    private final TreeMap<Long, IntervalSegments> buckets = new TreeMap<>();
    private final List<StoredSegment> retired = new ArrayList<>();
    private final List<Path> retiredJournals = new ArrayList<>();
    private PendingJournal journal;
    private int journals = 1;
    private int pendingRows;
    private long pendingBytes;
    private int journalRecords;

    SegmentStore(TableSchema schema, String table, Path scratch) throws IOException {
        this.schema = schema;
        this.table = table;
        this.scratch = scratch;
        this.reader = new DruidRowReader(schema);
        this.writer = new SegmentWriter(schema, table, Files.createDirectories(scratch.resolve("segments")));
        this.journal = newJournal();
    }

    private PendingJournal newJournal() throws IOException {
        return new PendingJournal(scratch.resolve("pending-" + journals++));
    }

    String table() {
        return table;
    }

    Path segmentDirectory() {
        return writer.directory();
    }

    long nextNumber() {
        return writer.next();
    }

    /** Adds a segment from a checkpoint. */
    void addRestored(StoredSegment segment) {
        bucket(segment.interval()).segments().add(segment);
    }

    /** Adds a segment that was written elsewhere, given as its files by name. */
    void add(Interval interval, Map<String, Bytes> files) throws IOException {
        bucket(interval).segments().add(writer.write(interval, files));
    }

    /** Sets the number of the next segment, from a checkpoint. */
    void setNextNumber(long number) {
        writer.setNext(number);
    }

    void append(Document row) throws IOException, IndexSizeExceededException {
        appendPending(row);
        if (pendingRows >= schema.rowsInMemory() || pendingBytes >= PENDING_BYTES_MAX) {
            persistLargest();
        }
    }

    /** Adds a row to memory and journal, without making segments. */
    void appendPending(Document row) throws IOException, IndexSizeExceededException {
        InputRow read = reader.row(row);
        if (read == null) {
            return;
        }
        IntervalSegments bucket = bucket(schema.segmentGranularity().bucket(read.getTimestamp()));
        // A row that the index refuses must not be in the journal: a restore adds all rows of the journal.
        PendingIndex pending = bucket.pendingOr(schema, table);
        pending.add(read);
        long before = journal.bytes();
        journal.row(row);
        journalRecords++;
        long bytes = journal.bytes() - before;
        pending.addBytes(bytes);
        pendingRows++;
        pendingBytes += bytes;
    }

    private IntervalSegments bucket(Interval interval) {
        return buckets.computeIfAbsent(interval.getStartMillis(), start -> new IntervalSegments(interval));
    }

    /** The segment interval of a row; empty if the table's transformSpec filters the row out. */
    Optional<Interval> bucketOf(Document row) {
        InputRow read = reader.row(row);
        return read == null
                ? Optional.empty()
                : Optional.of(schema.segmentGranularity().bucket(read.getTimestamp()));
    }

    void dropBucketOf(Document row) throws IOException {
        Optional<Interval> interval = bucketOf(row);
        if (interval.isPresent()) {
            drop(buckets.get(interval.get().getStartMillis()));
        }
    }

    /** Drops all rows within an interval that consists of whole segment intervals. */
    void dropBuckets(Interval interval) throws IOException {
        List<IntervalSegments> inside = List.copyOf(buckets.subMap(interval.getStartMillis(), interval.getEndMillis())
                .values());
        for (IntervalSegments bucket : inside) {
            drop(bucket);
        }
    }

    /** Drops the pending rows of the bucket that starts at this time. */
    void dropPending(long start) throws IOException {
        IntervalSegments bucket = buckets.get(start);
        if (bucket != null) {
            clearPending(bucket);
        }
    }

    private void drop(@Nullable IntervalSegments bucket) throws IOException {
        if (bucket == null) {
            return;
        }
        clearPending(bucket);
        retired.addAll(bucket.segments());
        buckets.remove(bucket.interval().getStartMillis());
        if (journalRecords > JOURNAL_RECORDS_PER_ROW * schema.rowsInMemory()) {
            compactJournal();
        }
    }

    private void clearPending(IntervalSegments bucket) throws IOException {
        if (bucket.pending() == null) {
            return;
        }
        pendingRows -= bucket.pendingRows();
        pendingBytes -= bucket.pendingBytes();
        bucket.clearPending();
        journal.drop(bucket.interval().getStartMillis());
        journalRecords++;
    }

    private void persistLargest() throws IOException {
        List<IntervalSegments> fullest = buckets.values().stream()
                .filter(bucket -> bucket.pending() != null)
                .sorted(Comparator.comparingInt(IntervalSegments::pendingRows)
                        .reversed()
                        .thenComparingLong(bucket -> bucket.interval().getStartMillis()))
                .toList();
        for (IntervalSegments bucket : fullest) {
            if (pendingRows <= schema.rowsInMemory() / KEPT_SHARE && pendingBytes <= PENDING_BYTES_MAX / KEPT_SHARE) {
                break;
            }
            PendingIndex pending = bucket.pending();
            if (pending != null) {
                bucket.segments().add(writer.persist(bucket.interval(), pending));
                clearPending(bucket);
                mergeFull(bucket);
            }
        }
        compactJournal();
    }

    private void mergeFull(IntervalSegments bucket) throws IOException {
        for (List<StoredSegment> full = toMerge(bucket); !full.isEmpty(); full = toMerge(bucket)) {
            StoredSegment merged = writer.merge(bucket.interval(), full);
            bucket.segments().removeAll(full);
            bucket.segments().add(merged);
            retired.addAll(full);
        }
    }

    private static List<StoredSegment> toMerge(IntervalSegments bucket) {
        List<StoredSegment> segments = bucket.segments();
        return SegmentMergePolicy.toMerge(
                        segments.stream().map(StoredSegment::rows).toList())
                .stream()
                .map(segments::get)
                .toList();
    }

    /** Writes the pending rows to a new journal; the old one stays until the new state is published. */
    private void compactJournal() throws IOException {
        long length = journal.flush();
        Path old = journal.file();
        journal.close();
        NavigableMap<Integer, Document> rows = pendingRowsOf(old);
        journal = newJournal();
        for (Document row : rows.values()) {
            journal.row(row);
        }
        journalRecords = rows.size();
        if (length > 0) {
            retiredJournals.add(old);
        }
    }

    /** The rows of a journal that are still pending, by position. Each row is parsed once. */
    private NavigableMap<Integer, Document> pendingRowsOf(Path file) throws IOException {
        NavigableMap<Integer, Document> rows = new TreeMap<>();
        Map<Long, List<Integer>> positions = new HashMap<>();
        PendingJournal.read(file, new PendingJournal.Records() {
            private int next;

            @Override
            public void row(Document row) {
                Optional<Interval> interval = bucketOf(row);
                if (interval.isPresent() && hasPending(interval.get().getStartMillis())) {
                    positions
                            .computeIfAbsent(interval.get().getStartMillis(), start -> new ArrayList<>())
                            .add(next);
                    rows.put(next++, row);
                }
            }

            @Override
            public void drop(long bucket) {
                List<Integer> dropped = positions.remove(bucket);
                if (dropped != null) {
                    dropped.forEach(rows::remove);
                }
            }
        });
        return rows;
    }

    private boolean hasPending(long start) {
        IntervalSegments bucket = buckets.get(start);
        return bucket != null && bucket.pending() != null;
    }

    /** Returns the present list of segments, for queries. */
    SegmentSet publish() throws IOException {
        List<StoredSegment> stored = new ArrayList<>();
        List<ReferenceCountingSegment> pending = new ArrayList<>();
        long rows = 0;
        long memory = 0;
        for (IntervalSegments bucket : buckets.values()) {
            stored.addAll(bucket.segments());
            PendingIndex index = bucket.pending();
            if (index != null) {
                pending.add(index.segment());
                rows += index.rows();
                memory += index.memoryBytes();
            }
        }
        return new SegmentSet(stored, pending, rows, memory, journal.file(), journal.flush());
    }

    /** Closes segments that are in no published state any more, and deletes their files. */
    void dropRetired() throws IOException {
        for (StoredSegment segment : retired) {
            segment.drop();
        }
        retired.clear();
        for (Path old : retiredJournals) {
            Files.deleteIfExists(old);
        }
        retiredJournals.clear();
    }

    void close() throws IOException {
        journal.close();
        retired.forEach(StoredSegment::close);
        Collection<IntervalSegments> all = buckets.values();
        all.forEach(bucket -> bucket.segments().forEach(StoredSegment::close));
    }
}
