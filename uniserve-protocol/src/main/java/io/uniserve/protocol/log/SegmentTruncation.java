package io.uniserve.protocol.log;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayList;
import java.util.List;

/**
 * One truncation of a log's end: it saves the removed entries if requested, deletes whole segments from the last one on, and then shortens
 * the remaining one.
 */
final class SegmentTruncation {
    private static final long CHUNK_BYTES = 4 << 20;

    private final Disk disk;
    private final String directory;
    private final List<LogSegment> segments;
    private final EntryIndex index;
    private final long last;
    private final Completion<Long> completion;
    private long removedEntries;

    SegmentTruncation(
            Disk disk,
            String directory,
            List<LogSegment> segments,
            EntryIndex index,
            long last,
            Completion<Long> completion) {
        this.disk = disk;
        this.directory = directory;
        this.segments = segments;
        this.index = index;
        this.last = last;
        this.completion = completion;
    }

    /** Reader of durable entries. */
    interface EntryReader {
        void read(long from, int entriesMax, long bytesMax, Completion<List<LogEntry>> completion);
    }

    void run(EntryReader reader) {
        removedEntries = index.last() - last;
        save(reader, last + 1, List.of());
    }

    /** Truncates without saving, for entries that no other replica and no client has got. */
    void runUnsaved() {
        removedEntries = index.last() - last;
        truncateFiles();
    }

    private void save(EntryReader reader, long from, List<LogEntry> saved) {
        boolean full = saved.size() >= 4096;
        if (!saved.isEmpty() && (full || from > index.last())) {
            write(saved, done -> step(done, () -> save(reader, from, List.of())));
        } else if (from > index.last()) {
            truncateFiles();
        } else {
            reader.read(from, 4096, CHUNK_BYTES, read -> {
                if (read instanceof Outcome.Ok<List<LogEntry>> ok) {
                    List<LogEntry> more = new ArrayList<>(saved);
                    more.addAll(ok.value());
                    save(reader, from + ok.value().size(), more);
                } else {
                    fail(read.error());
                }
            });
        }
    }

    private void write(List<LogEntry> entries, Completion<Done> done) {
        LogEntry first = entries.get(0);
        LogEntry end = entries.get(entries.size() - 1);
        String name = "%020d-%020d-%d.seg".formatted(first.index(), end.index(), end.epoch());
        Bytes data = ReplicaLog.encode(entries);
        disk.replace(directory + "/rollback/" + name, data, done);
    }

    private void truncateFiles() {
        if (index.last() <= last) {
            completion.done(Outcome.ok(removedEntries));
            return;
        }
        LogSegment segment = segments.get(segments.size() - 1);
        if (segment.first > last) {
            disk.delete(
                    segment.path,
                    done -> step(done, () -> {
                        segments.remove(segments.size() - 1);
                        index.truncateAfter(segment.first - 1);
                        truncateFiles();
                    }));
        } else {
            int size = index.offset(last + 1);
            disk.truncate(
                    segment.path,
                    size,
                    done -> step(done, () -> {
                        segment.size = size;
                        index.truncateAfter(last);
                        completion.done(Outcome.ok(removedEntries));
                    }));
        }
    }

    private void step(Outcome<Done> done, Runnable then) {
        if (done instanceof Outcome.Err<Done> err) {
            fail(err.error());
        } else {
            then.run();
        }
    }

    private void fail(UniserveException error) {
        completion.done(Outcome.err(error));
    }
}
