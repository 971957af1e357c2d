package io.uniserve.protocol.log;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recovery of a log at its start: it reads the segments in order and checks every entry. */
final class LogRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

    private final Disk disk;
    private final String directory;
    private final long synced;
    private final Completion<LogRecovery> completion;
    private final List<String> names = new ArrayList<>();
    private final ArrayDeque<String> dropped = new ArrayDeque<>();
    final List<LogSegment> segments = new ArrayList<>();
    final EntryIndex index;
    final EntryCache cache;
    private long lastEpoch;
    private long lastHash;

    LogRecovery(
            Disk disk,
            String directory,
            long baseIndex,
            long baseEpoch,
            long baseHash,
            long synced,
            LogOptions options,
            Completion<LogRecovery> completion) {
        this.disk = disk;
        this.directory = directory;
        this.index = new EntryIndex(baseIndex);
        this.cache = new EntryCache(baseIndex + 1, options.cacheBytes());
        this.lastEpoch = baseEpoch;
        this.lastHash = baseHash;
        this.synced = synced;
        this.completion = completion;
    }

    void run() {
        disk.list(directory, listed -> {
            if (listed instanceof Outcome.Ok<List<Disk.Entry>> ok) {
                ok.value().stream()
                        .map(Disk.Entry::name)
                        .filter(name -> name.matches("\\d{20}\\.seg"))
                        .forEach(name -> (first(name) <= index.last() ? dropped : names).add(name));
                deleteDropped();
            } else {
                fail(listed.error());
            }
        });
    }

    private static long first(String name) {
        return Long.parseLong(name.substring(0, 20));
    }

    /** Deletes segments before the log's start, which remain after a crash during a truncation. */
    private void deleteDropped() {
        String name = dropped.poll();
        if (name == null) {
            readNext(0);
            return;
        }
        LOG.info("{}/{}: segment is before log start offset {}, deleting it", directory, name, index.last());
        disk.delete(directory + "/" + name, done -> {
            if (done instanceof Outcome.Err<Done> err) {
                fail(err.error());
            } else {
                deleteDropped();
            }
        });
    }

    private void readNext(int at) {
        if (at == names.size()) {
            complete();
            return;
        }
        LogSegment segment = new LogSegment(directory, first(names.get(at)));
        disk.read(segment.path, read -> {
            if (read instanceof Outcome.Err<Bytes> err) {
                fail(err.error());
                return;
            }
            try {
                check(segment, read.value(), at == names.size() - 1, at);
            } catch (UniserveException e) {
                fail(e);
            }
        });
    }

    /** Ends the recovery. A log that ends before a synced index has lost entries. */
    private void complete() {
        if (index.last() < synced) {
            fail(new UniserveException(
                    ErrorCode.CORRUPT,
                    "log " + directory + " ends at index " + index.last() + ", but index " + synced + " was synced"));
        } else {
            completion.done(Outcome.ok(this));
        }
    }

    private void check(LogSegment segment, Bytes bytes, boolean last, int at) {
        if (segment.first != index.last() + 1) {
            throw corrupt(segment, 0, "starts at index " + segment.first + ", but " + (index.last() + 1) + " is next");
        }
        int offset = 0;
        while (offset < bytes.size()) {
            EntryCodec.DecodedEntry found = EntryCodec.decode(bytes, offset);
            if (found == null) {
                break;
            }
            accept(segment, found, offset);
            offset += found.size();
        }
        segment.size = offset;
        if (offset == bytes.size() && offset > 0) {
            segments.add(segment);
            readNext(at + 1);
        } else if (last && isTornWrite(bytes, offset)) {
            truncateTornTail(segment, offset, bytes.size(), at);
        } else {
            throw corrupt(segment, offset, "checksum is wrong");
        }
    }

    private void accept(LogSegment segment, EntryCodec.DecodedEntry found, int offset) {
        long due = index.last() + 1;
        if (found.entry().index() != due || found.entry().epoch() < lastEpoch) {
            throw corrupt(
                    segment,
                    offset,
                    "index " + found.entry().index() + " of epoch "
                            + found.entry().epoch() + ", and index " + due + " of epoch " + lastEpoch
                            + " or later is expected");
        }
        lastEpoch = found.entry().epoch();
        long content = RunningLogHash.contentHash(found.entry());
        lastHash = RunningLogHash.after(lastHash, found.entry(), content);
        index.add(segments.size(), offset, found.size(), lastEpoch, lastHash);
        cache.add(found.entry(), content, lastHash);
        cache.trim(due);
    }

    /** True when the bad end may be a write that a crash interrupted: nothing proves that it was ever synced. */
    private boolean isTornWrite(Bytes bytes, int offset) {
        return index.last() >= synced && !hasLaterBatch(bytes, offset) && !BitFlipDetector.isOneBitOff(bytes, offset);
    }

    /** True when a valid entry of a later batch follows the bad place, which proves that the bad entry had been durable. */
    private boolean hasLaterBatch(Bytes bytes, int from) {
        long due = index.last() + 1;
        for (int offset = from + 1; offset <= bytes.size() - EntryCodec.HEADER_BYTES; offset++) {
            if (bytes.at(offset) == EntryCodec.MARK >>> 24) {
                EntryCodec.DecodedEntry found = EntryCodec.decode(bytes, offset);
                if (found != null && found.batch() > due) {
                    return true;
                }
            }
        }
        return false;
    }

    private void truncateTornTail(LogSegment segment, int size, int bytes, int at) {
        LOG.info("{}: torn tail of {} bytes truncated", segment.path, bytes - size);
        Completion<Done> cut = done -> {
            if (done instanceof Outcome.Err<Done> err) {
                fail(err.error());
                return;
            }
            if (size > 0) {
                segments.add(segment);
            }
            readNext(at + 1);
        };
        if (size == 0) {
            disk.delete(segment.path, cut);
        } else {
            disk.truncate(segment.path, size, cut);
        }
    }

    private void fail(UniserveException error) {
        completion.done(Outcome.err(error));
    }

    private static UniserveException corrupt(LogSegment segment, int offset, String what) {
        return new UniserveException(ErrorCode.CORRUPT, "log " + segment.path + " at byte " + offset + ": " + what);
    }
}
