package io.uniserve.protocol.log;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The log of one replica. Appends enter memory at once and become durable by group commit: one write and fsync is under
 * way, later entries gather for the next. Single-threaded; all disk work of one log is done one step at a time.
 *
 * <p>A write that fails (full disk) is cut back and its entries, with all after them, are taken out again. Only durable entries
 * are replicated, but for what a primary gives away early: it appends nothing more in its epoch then. A failed fsync is fatal.
 */
public final class ReplicaLog {
    private static final int BATCH_BYTES_MAX = 32 << 20;
    private static final int BATCH_ENTRIES_MAX = 16_384;

    private final Disk disk;
    private final String directory;
    private final LogOptions options;
    private final LogListener listener;
    private long baseIndex;
    private long baseEpoch;
    private long baseHash;
    private final List<Segment> segments;
    private final EntryIndex index;
    private final EntryCache cache;
    private final SequentialTaskQueue steps = new SequentialTaskQueue();
    private final ArrayDeque<Segment> doomed = new ArrayDeque<>();
    private int droppedSegments;
    private boolean writing;
    private boolean closed;
    private long bytes;
    private long damagedThrough;

    private ReplicaLog(
            Disk disk,
            String directory,
            long baseIndex,
            long baseEpoch,
            long baseHash,
            LogOptions options,
            LogListener listener,
            LogRecovery found) {
        this.disk = disk;
        this.directory = directory;
        this.baseIndex = baseIndex;
        this.baseEpoch = baseEpoch;
        this.baseHash = baseHash;
        this.options = options;
        this.listener = listener;
        this.segments = found.segments;
        this.index = found.index;
        this.cache = found.cache;
        this.bytes = segments.stream().mapToLong(s -> s.size).sum();
    }

    /**
     * Opens the log under {@code directory/log}, which may be absent; entries follow the base. CORRUPT when an entry other
     * than a torn tail does not check, or when an entry up to {@code synced} is not there: the files are left as they are.
     *
     * @param baseHash the log's hash at the base, {@link EntryHash#UNKNOWN} where nobody recorded it
     * @param synced an index known to have been durable, the base for none
     */
    public static void open(
            Disk disk,
            String directory,
            long baseIndex,
            long baseEpoch,
            long baseHash,
            long synced,
            LogOptions options,
            LogListener listener,
            Completion<ReplicaLog> completion) {
        long hash = baseIndex == 0 ? EntryHash.START : baseHash;
        new LogRecovery(disk, directory + "/log", baseIndex, baseEpoch, hash, synced, options, recovered -> {
                    if (recovered instanceof Outcome.Ok<LogRecovery> ok) {
                        completion.done(Outcome.ok(new ReplicaLog(
                                disk, directory, baseIndex, baseEpoch, hash, options, listener, ok.value())));
                    } else {
                        completion.done(Outcome.err(recovered.error()));
                    }
                })
                .run();
    }

    /** The last entry that was read and did not check, 0 for none: what comes up to it can be given to nobody. */
    public long damagedThrough() {
        return damagedThrough;
    }

    /** Index before the first entry. */
    public long baseIndex() {
        return baseIndex;
    }

    /** Last entry, durable or not. */
    public long lastIndex() {
        return Math.max(index.last(), cache.last());
    }

    /** Last entry on disk. */
    public long durableIndex() {
        return index.last();
    }

    /** Epoch of the last entry. */
    public long lastEpoch() {
        return epochAt(lastIndex());
    }

    /** Epoch of an entry from the base on to the last; -1 outside. */
    public long epochAt(long at) {
        if (at == baseIndex) {
            return baseEpoch;
        }
        if (at > baseIndex && at <= index.last()) {
            return index.epoch(at);
        }
        LogEntry entry = cache.get(at);
        return entry == null ? -1 : entry.epoch();
    }

    /** The log's hash with the entry at this index, from the base on to the last; UNKNOWN outside. */
    public long hashAt(long at) {
        if (at == baseIndex) {
            return baseHash;
        }
        if (at > baseIndex && at <= index.last()) {
            return index.hash(at);
        }
        return cache.get(at) == null ? EntryHash.UNKNOWN : cache.hash(at);
    }

    /** True when this index has another entry than one with this content, as far as it is in memory. */
    public boolean differs(long at, long content) {
        return cache.get(at) != null && cache.content(at) != content;
    }

    /** True where the log is empty after its base and the hash there is not known. */
    public boolean lacksBaseHash() {
        return lastIndex() == baseIndex && baseHash == EntryHash.UNKNOWN;
    }

    /**
     * Takes over the hash at the log's base from a log that was found to agree so far, after it was noted durably. Without
     * effect where the log begins elsewhere, has entries by now, or the hash is known.
     */
    public void adoptBaseHash(long index, long hash) {
        if (index == baseIndex && lacksBaseHash()) {
            baseHash = hash;
        }
    }

    /** Durable bytes. */
    public long bytes() {
        return bytes;
    }

    /** False when an update of this size would go beyond the log's limit. */
    public boolean hasRoom(long more) {
        return bytes + more <= options.bytesMax();
    }

    /**
     * Adds an entry, whose index is {@code lastIndex() + 1}; the listener hears when it is durable. A DECIDE waits for the next
     * entry, or for {@link #flush}: the table's log says already what it says, so that nobody waits for it, and its own sync
     * would hold up the next entry's.
     */
    public void append(LogEntry entry) {
        append(entry, EntryHash.content(entry));
    }

    /** The same with the hash of its content. */
    public void append(LogEntry entry, long content) {
        if (entry.index() != lastIndex() + 1 || entry.epoch() < lastEpoch()) {
            throw new UniserveException(
                    ErrorCode.INTERNAL,
                    "log " + directory + ": entry " + entry.index() + " of epoch " + entry.epoch() + " after "
                            + lastIndex() + " of epoch " + lastEpoch());
        }
        cache.add(entry, content, EntryHash.after(hashAt(lastIndex()), entry, content));
        listener.appended(entry);
        if (entry.type() != LogEntry.Type.DECIDE) {
            flush();
        }
    }

    /** Stops writing; what is under way ends unheard, then the completion runs. */
    public void close(Runnable idle) {
        closed = true;
        steps.add(next -> {
            next.run();
            idle.run();
        });
    }

    /** Writes what waits for the next entry. */
    public void flush() {
        if (writing || closed || cache.last() <= index.last()) {
            return;
        }
        writing = true;
        steps.add(this::writeBatch);
    }

    private void writeBatch(Runnable next) {
        List<LogEntry> batch = cache.from(index.last() + 1, cache.last(), BATCH_ENTRIES_MAX, BATCH_BYTES_MAX);
        if (batch == null || closed) {
            writing = false;
            next.run();
            return;
        }
        int[] sizes = new int[batch.size()];
        Bytes data = encode(batch, sizes);
        int changed = changed(batch);
        if (changed == 0) {
            takeBackChanged(batch.get(0).index(), next);
            return;
        }
        if (changed < sizes.length) {
            batch = batch.subList(0, changed);
            sizes = new int[changed];
            data = encode(batch, sizes);
        }
        write(batch, sizes, data, next);
    }

    private void write(List<LogEntry> batch, int[] sizes, Bytes data, Runnable next) {
        Segment segment = segmentFor(data.size(), batch.get(0).index());
        Completion<Done> failed = appended -> {
            if (appended instanceof Outcome.Err<Done> err) {
                cutBack(segment, err.error(), next);
            }
        };
        disk.appendSynced(segment.path, data, failed, synced -> {
            if (synced instanceof Outcome.Err<Done> err) {
                closed = true;
                listener.fatal(err.error());
            } else {
                written(segment, batch, sizes, next);
            }
        });
    }

    /** Place of the first entry whose bytes in memory are no longer those that were appended; the batch's size for none. */
    private int changed(List<LogEntry> batch) {
        int at = 0;
        while (at < batch.size()
                && EntryHash.content(batch.get(at))
                        == cache.content(batch.get(at).index())) {
            at++;
        }
        return at;
    }

    /** Entries that changed in memory, with all after them, are not written. */
    private void takeBackChanged(long from, Runnable next) {
        cache.cutAfter(from - 1);
        writing = false;
        if (!closed) {
            listener.appendFailed(
                    from,
                    new UniserveException(
                            ErrorCode.IO,
                            "log " + directory + ": entry " + from
                                    + " changed in memory before it was written: check the server's memory"));
        }
        flush();
        next.run();
    }

    private static Bytes encode(List<LogEntry> batch, int[] sizes) {
        long most = 0;
        for (LogEntry entry : batch) {
            most += EntryCodec.size(entry);
        }
        BinaryWriter out = new BinaryWriter((int) Math.min(most, Integer.MAX_VALUE));
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = EntryCodec.encode(batch.get(i), batch.get(0).index(), out);
        }
        return out.finish();
    }

    private Segment segmentFor(int more, long first) {
        Segment last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        if (last != null && (last.size == 0 || (long) last.size + more <= options.segmentBytes())) {
            return last;
        }
        Segment segment = new Segment(directory + "/log", first);
        segments.add(segment);
        return segment;
    }

    private void written(Segment segment, List<LogEntry> batch, int[] sizes, Runnable next) {
        for (int i = 0; i < sizes.length; i++) {
            index.add(
                    droppedSegments + segments.size() - 1,
                    segment.size,
                    sizes[i],
                    batch.get(i).epoch(),
                    cache.hash(batch.get(i).index()));
            segment.size += sizes[i];
            bytes += sizes[i];
        }
        writing = false;
        if (!closed) {
            listener.durable(index.last());
        }
        cache.trim(index.last());
        flush();
        next.run();
    }

    /** Takes a failed write out of the file and its entries out of memory. */
    private void cutBack(Segment segment, UniserveException error, Runnable next) {
        Completion<Done> cut = done -> {
            if (done instanceof Outcome.Err<Done> err) {
                closed = true;
                listener.fatal(err.error());
                return;
            }
            long from = index.last() + 1;
            cache.cutAfter(index.last());
            writing = false;
            if (!closed) {
                listener.appendFailed(from, error);
            }
            flush();
            next.run();
        };
        if (segment.size == 0) {
            segments.remove(segment);
            disk.delete(segment.path, cut);
        } else {
            disk.truncate(segment.path, segment.size, cut);
        }
    }

    /**
     * Cuts all entries after this index, saving them under {@code rollback/} first. The caller appends nothing until it is
     * done. Gives the number of entries cut.
     */
    public void truncateAfter(long last, Completion<Long> completion) {
        steps.add(next -> cut(last, next, completion).run(this::read));
    }

    /** The same for entries that nobody was ever told of: they are not saved. */
    public void takeBackAfter(long last, Completion<Long> completion) {
        steps.add(next -> cut(last, next, completion).runUnsaved());
    }

    private SegmentTruncation cut(long last, Runnable next, Completion<Long> completion) {
        return new SegmentTruncation(disk, directory, segments, index, last, outcome -> {
            cache.cutAfter(index.last());
            bytes = segments.stream().mapToLong(s -> s.size).sum();
            next.run();
            completion.done(outcome);
        });
    }

    /**
     * The end of the oldest segments that can go: none of them has an entry after the limit, and what stays has the bytes that
     * are retained. The base where none can go; never the last segment.
     */
    public long droppable(long limit) {
        long through = baseIndex;
        long left = bytes;
        for (int i = 0; i + 1 < segments.size(); i++) {
            long end = segments.get(i + 1).first - 1;
            left -= segments.get(i).size;
            if (end > limit || left < options.retainBytes()) {
                break;
            }
            through = end;
        }
        return through;
    }

    /** True when so much of the room is taken that nobody but the log itself may hold entries back. */
    public boolean crowded() {
        return bytes > options.bytesMax() / Limits.LOG_HELD_FOR_LEARNERS_PART;
    }

    /**
     * Drops the segments up to this entry, which is the last one of a segment. The caller has noted durably that the log begins
     * after it: files that a crash leaves here are deleted when the log is opened. A file that cannot be deleted is tried again
     * with the next ones.
     */
    public void dropThrough(long last, Completion<Done> completion) {
        steps.add(next -> {
            if (closed || last <= baseIndex) {
                next.run();
                completion.done(Outcome.ok(Done.DONE));
                return;
            }
            forget(last);
            deleteDoomed(done -> {
                next.run();
                completion.done(done);
            });
        });
    }

    private void forget(long last) {
        baseEpoch = epochAt(last);
        baseHash = hashAt(last);
        baseIndex = last;
        while (!segments.isEmpty() && segments.get(0).first <= last) {
            Segment gone = segments.remove(0);
            bytes -= gone.size;
            droppedSegments++;
            doomed.add(gone);
        }
        index.dropThrough(last);
        index.shrink();
        cache.dropThrough(last);
    }

    private void deleteDoomed(Completion<Done> completion) {
        Segment gone = doomed.peek();
        if (gone == null) {
            completion.done(Outcome.ok(Done.DONE));
            return;
        }
        disk.delete(gone.path, done -> {
            if (done instanceof Outcome.Err<Done>) {
                completion.done(done);
            } else {
                doomed.remove();
                deleteDoomed(completion);
            }
        });
    }

    /** Entries from memory up to this one, durable or not, within both limits; null where the first must be read from disk. */
    public @Nullable List<LogEntry> recent(long from, long through, int entriesMax, long bytesMax) {
        return cache.from(from, Math.min(through, cache.last()), entriesMax, bytesMax);
    }

    /** Durable entries from memory, within both limits, at least one; null where the first must be read from disk. */
    public @Nullable List<LogEntry> cached(long from, int entriesMax, long bytesMax) {
        return cache.from(from, index.last(), entriesMax, bytesMax);
    }

    /** Durable entries from disk, within both limits and one segment, at least one. */
    public void load(long from, int entriesMax, long bytesMax, Completion<List<LogEntry>> completion) {
        steps.add(next -> read(from, entriesMax, bytesMax, outcome -> {
            next.run();
            completion.done(outcome);
        }));
    }

    private void read(long from, int entriesMax, long bytesMax, Completion<List<LogEntry>> completion) {
        if (from <= baseIndex) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.UNAVAILABLE, "log " + directory + ": entry " + from + " was dropped")));
            return;
        }
        if (from > index.last()) {
            throw new UniserveException(ErrorCode.INTERNAL, "log " + directory + ": no durable entry " + from);
        }
        int segment = index.segment(from);
        int start = index.offset(from);
        int end = start + index.size(from);
        int count = 1;
        for (long i = from + 1; i <= index.last() && count < entriesMax && index.segment(i) == segment; i++, count++) {
            if (end - start + index.size(i) > bytesMax) {
                break;
            }
            end += index.size(i);
        }
        disk.readRange(segments.get(segment - droppedSegments).path, start, end - start, completion.then(read -> {
            Outcome<List<LogEntry>> entries = decode(read, from);
            if (entries instanceof Outcome.Err<List<LogEntry>> err && !closed) {
                damagedThrough = Math.max(damagedThrough, lastBad(read, from, start));
                listener.damaged(err.error());
            }
            completion.done(entries);
        }));
    }

    private long lastBad(Bytes data, long from, int start) {
        long bad = from;
        long at = from;
        for (int offset = 0; offset < data.size(); offset = index.offset(at) - start) {
            EntryCodec.Found found = EntryCodec.decode(data, offset);
            bad = found == null || found.entry().index() != at ? at : bad;
            at++;
            if (at > index.last() || index.offset(at) <= start) {
                break;
            }
        }
        return bad;
    }

    /** Entries as a run of encoded records, as they are shipped to durable storage. */
    public static Bytes encode(List<LogEntry> entries) {
        return encode(entries, new int[entries.size()]);
    }

    /** Reads what {@link #encode} wrote; CORRUPT unless it is whole and begins at this index. */
    public static Outcome<List<LogEntry>> decode(Bytes data, long from) {
        List<LogEntry> entries = new ArrayList<>();
        int offset = 0;
        while (offset < data.size()) {
            EntryCodec.Found found = EntryCodec.decode(data, offset);
            if (found == null || found.entry().index() != from + entries.size()) {
                return Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "log entry " + (from + entries.size()) + " does not check"));
            }
            entries.add(found.entry());
            offset += found.size();
        }
        return Outcome.ok(entries);
    }
}
