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
 * Log of one replica. Appends are in memory at once, and become durable by group commit: one write with fsync is under way, and later
 * entries collect for the next. It is single-threaded, and all disk operations of one log run one at a time.
 *
 * <p>After a failed write (full disk) the file is truncated to its size before. The entries of that write and all later ones are removed.
 * Only durable entries are replicated, except those that a primary sends early; after a failure it appends nothing more in its epoch. A
 * failed fsync is fatal.
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
    private final List<LogSegment> segments;
    private final EntryIndex index;
    private final EntryCache cache;
    private final SequentialTaskQueue steps = new SequentialTaskQueue();
    private final ArrayDeque<LogSegment> segmentsToDelete = new ArrayDeque<>();
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
     * Opens the log under {@code directory/log}, which may be absent; entries follow the base. CORRUPT if an entry fails its check, except
     * in a torn tail, or if an entry up to {@code synced} is missing. The files then stay as they are.
     *
     * @param baseHash running hash at the base, {@link RunningLogHash#UNKNOWN} if it was not recorded
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
        long hash = baseIndex == 0 ? RunningLogHash.START : baseHash;
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

    /** The last entry that failed its check when it was read, 0 for none. Entries up to it cannot be sent to other replicas. */
    public long damagedThrough() {
        return damagedThrough;
    }

    /** Log start offset: index before the first entry. */
    public long baseIndex() {
        return baseIndex;
    }

    /** Index of the last entry, durable or not. */
    public long lastIndex() {
        return Math.max(index.last(), cache.last());
    }

    /** Index of the last entry on disk. */
    public long durableIndex() {
        return index.last();
    }

    /** Epoch of the last entry. */
    public long lastEpoch() {
        return epochAt(lastIndex());
    }

    /** Epoch of an entry between the base and the end; -1 for other indexes. */
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

    /** Running hash at an index between the base and the end; UNKNOWN for other indexes. */
    public long hashAt(long at) {
        if (at == baseIndex) {
            return baseHash;
        }
        if (at > baseIndex && at <= index.last()) {
            return index.hash(at);
        }
        return cache.get(at) == null ? RunningLogHash.UNKNOWN : cache.hash(at);
    }

    /** True when the entry at this index is in memory and has another content hash. */
    public boolean hasOtherContent(long at, long content) {
        return cache.get(at) != null && cache.content(at) != content;
    }

    /** True when the log is empty after its base, and the running hash there is unknown. */
    public boolean lacksBaseHash() {
        return lastIndex() == baseIndex && baseHash == RunningLogHash.UNKNOWN;
    }

    /**
     * Adopts the running hash at the log's base, from a log that agrees so far. The caller has stored it durably. Has no effect if the log
     * starts elsewhere, has entries now, or knows the hash.
     */
    public void adoptBaseHash(long index, long hash) {
        if (index == baseIndex && lacksBaseHash()) {
            baseHash = hash;
        }
    }

    /** Size of the durable entries in bytes. */
    public long bytes() {
        return bytes;
    }

    /** False when an update of this size would exceed the log's limit. */
    public boolean hasRoom(long more) {
        return bytes + more <= options.bytesMax();
    }

    /**
     * Appends an entry with the index {@code lastIndex() + 1}; the listener is called when it is durable. A DECIDE waits for the next entry
     * or for {@link #flush}. The transaction log already has its decision, so no client waits for it, and its own sync would delay the next
     * entry.
     */
    public void append(LogEntry entry) {
        append(entry, RunningLogHash.contentHash(entry));
    }

    /** The same, with the entry's content hash. */
    public void append(LogEntry entry, long content) {
        if (entry.index() != lastIndex() + 1 || entry.epoch() < lastEpoch()) {
            throw new UniserveException(
                    ErrorCode.INTERNAL,
                    "log " + directory + ": entry " + entry.index() + " of epoch " + entry.epoch() + " after "
                            + lastIndex() + " of epoch " + lastEpoch());
        }
        cache.add(entry, content, RunningLogHash.after(hashAt(lastIndex()), entry, content));
        listener.onAppended(entry);
        if (entry.type() != LogEntry.Type.DECIDE) {
            flush();
        }
    }

    /** Stops writing. A running write ends without a call of the listener; then {@code idle} runs. */
    public void close(Runnable idle) {
        closed = true;
        steps.add(next -> {
            next.run();
            idle.run();
        });
    }

    /** Writes entries that wait for the next one. */
    public void flush() {
        if (writing || closed || cache.last() <= index.last()) {
            return;
        }
        writing = true;
        steps.add(this::writeBatch);
    }

    private void writeBatch(Runnable next) {
        List<LogEntry> batch = cache.range(index.last() + 1, cache.last(), BATCH_ENTRIES_MAX, BATCH_BYTES_MAX);
        if (batch == null || closed) {
            writing = false;
            next.run();
            return;
        }
        int[] sizes = new int[batch.size()];
        Bytes data = encode(batch, sizes);
        int changed = firstChanged(batch);
        if (changed == 0) {
            removeChanged(batch.get(0).index(), next);
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
        LogSegment segment = segmentFor(data.size(), batch.get(0).index());
        Completion<Done> failed = appended -> {
            if (appended instanceof Outcome.Err<Done> err) {
                undoWrite(segment, err.error(), next);
            }
        };
        disk.appendSynced(segment.path, data, failed, synced -> {
            if (synced instanceof Outcome.Err<Done> err) {
                closed = true;
                listener.onFatal(err.error());
            } else {
                onWritten(segment, batch, sizes, next);
            }
        });
    }

    /** Position of the first entry whose bytes have changed in memory since the append; the batch's size if there is none. */
    private int firstChanged(List<LogEntry> batch) {
        int at = 0;
        while (at < batch.size()
                && RunningLogHash.contentHash(batch.get(at))
                        == cache.content(batch.get(at).index())) {
            at++;
        }
        return at;
    }

    /** Removes entries that changed in memory, with all later ones, instead of writing them. */
    private void removeChanged(long from, Runnable next) {
        cache.truncateAfter(from - 1);
        writing = false;
        if (!closed) {
            listener.onAppendFailed(
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

    private LogSegment segmentFor(int more, long first) {
        LogSegment last = segments.isEmpty() ? null : segments.get(segments.size() - 1);
        if (last != null && (last.size == 0 || (long) last.size + more <= options.segmentBytes())) {
            return last;
        }
        LogSegment segment = new LogSegment(directory + "/log", first);
        segments.add(segment);
        return segment;
    }

    private void onWritten(LogSegment segment, List<LogEntry> batch, int[] sizes, Runnable next) {
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
            listener.onDurable(index.last());
        }
        cache.trim(index.last());
        flush();
        next.run();
    }

    /** Removes the bytes of a failed write from the file, and its entries from memory. */
    private void undoWrite(LogSegment segment, UniserveException error, Runnable next) {
        Completion<Done> cut = done -> {
            if (done instanceof Outcome.Err<Done> err) {
                closed = true;
                listener.onFatal(err.error());
                return;
            }
            long from = index.last() + 1;
            cache.truncateAfter(index.last());
            writing = false;
            if (!closed) {
                listener.onAppendFailed(from, error);
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
     * Removes all entries after this index, and saves them under {@code rollback/} first. The caller must not append until it completes.
     * The result is the number of removed entries.
     */
    public void truncateAfter(long last, Completion<Long> completion) {
        steps.add(next -> newTruncation(last, next, completion).run(this::read));
    }

    /** The same without saving, for entries that no other replica and no client has got. */
    public void discardAfter(long last, Completion<Long> completion) {
        steps.add(next -> newTruncation(last, next, completion).runUnsaved());
    }

    private SegmentTruncation newTruncation(long last, Runnable next, Completion<Long> completion) {
        return new SegmentTruncation(disk, directory, segments, index, last, outcome -> {
            cache.truncateAfter(index.last());
            bytes = segments.stream().mapToLong(s -> s.size).sum();
            next.run();
            completion.done(outcome);
        });
    }

    /**
     * The end of the oldest segments that may be deleted: none of them has an entry after the limit, and the rest has the bytes to retain.
     * The base if none may be deleted; never the last segment.
     */
    public long droppableIndex(long limit) {
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

    /** True when the log is so large that learners must not prevent truncation any more. */
    public boolean isNearlyFull() {
        return bytes > options.bytesMax() / Limits.LOG_HELD_FOR_LEARNERS_PART;
    }

    /**
     * Deletes the segments up to this entry, which is the last one of a segment. The caller has stored the new log start offset durably.
     * Files that remain after a crash are deleted when the log is opened. A failed deletion is retried with the next one.
     */
    public void dropThrough(long last, Completion<Done> completion) {
        steps.add(next -> {
            if (closed || last <= baseIndex) {
                next.run();
                completion.done(Outcome.ok(Done.DONE));
                return;
            }
            moveBase(last);
            deleteSegments(done -> {
                next.run();
                completion.done(done);
            });
        });
    }

    private void moveBase(long last) {
        baseEpoch = epochAt(last);
        baseHash = hashAt(last);
        baseIndex = last;
        while (!segments.isEmpty() && segments.get(0).first <= last) {
            LogSegment gone = segments.remove(0);
            bytes -= gone.size;
            droppedSegments++;
            segmentsToDelete.add(gone);
        }
        index.dropThrough(last);
        index.shrink();
        cache.dropThrough(last);
    }

    /**
     * Limits the memory of recent entries to this log's share of the server's memory for them. Entries that are not durable stay in memory.
     *
     * @param logs number of logs on the server
     */
    public void limitCache(int logs) {
        cache.setBytesMax(Math.min(options.cacheBytes(), options.serverCacheBytes() / Math.max(1, logs)));
        cache.trim(index.last());
    }

    private void deleteSegments(Completion<Done> completion) {
        LogSegment gone = segmentsToDelete.peek();
        if (gone == null) {
            completion.done(Outcome.ok(Done.DONE));
            return;
        }
        disk.delete(gone.path, done -> {
            if (done instanceof Outcome.Err<Done>) {
                completion.done(done);
            } else {
                segmentsToDelete.remove();
                deleteSegments(completion);
            }
        });
    }

    /** Entries in memory up to this one, durable or not, within both limits; null if the first must be read from disk. */
    public @Nullable List<LogEntry> recent(long from, long through, int entriesMax, long bytesMax) {
        return cache.range(from, Math.min(through, cache.last()), entriesMax, bytesMax);
    }

    /** Durable entries in memory, within both limits, at least one; null if the first must be read from disk. */
    public @Nullable List<LogEntry> cached(long from, int entriesMax, long bytesMax) {
        return cache.range(from, index.last(), entriesMax, bytesMax);
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
                    ErrorCode.UNAVAILABLE, "log " + directory + ": entry " + from + " was truncated")));
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
                damagedThrough = Math.max(damagedThrough, lastDamagedIndex(read, from, start));
                listener.onDamaged(err.error());
            }
            completion.done(entries);
        }));
    }

    private long lastDamagedIndex(Bytes data, long from, int start) {
        long bad = from;
        long at = from;
        for (int offset = 0; offset < data.size(); offset = index.offset(at) - start) {
            EntryCodec.DecodedEntry found = EntryCodec.decode(data, offset);
            bad = found == null || found.entry().index() != at ? at : bad;
            at++;
            if (at > index.last() || index.offset(at) <= start) {
                break;
            }
        }
        return bad;
    }

    /** Encodes entries as they are shipped to durable storage. */
    public static Bytes encode(List<LogEntry> entries) {
        return encode(entries, new int[entries.size()]);
    }

    /** Decodes the result of {@link #encode}; CORRUPT if it is incomplete or does not start at this index. */
    public static Outcome<List<LogEntry>> decode(Bytes data, long from) {
        List<LogEntry> entries = new ArrayList<>();
        int offset = 0;
        while (offset < data.size()) {
            EntryCodec.DecodedEntry found = EntryCodec.decode(data, offset);
            if (found == null || found.entry().index() != from + entries.size()) {
                return Outcome.err(new UniserveException(
                        ErrorCode.CORRUPT, "log entry " + (from + entries.size()) + " failed its check"));
            }
            entries.add(found.entry());
            offset += found.size();
        }
        return Outcome.ok(entries);
    }
}
