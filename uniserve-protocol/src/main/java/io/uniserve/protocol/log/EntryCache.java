package io.uniserve.protocol.log;

import io.uniserve.protocol.message.LogEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The newest entries in memory: all entries that are not durable yet, and durable ones up to a budget of bytes. */
final class EntryCache {
    private long bytesMax;
    private @Nullable LogEntry[] ring = new LogEntry[64];
    private long[] contents = new long[64];
    private long[] hashes = new long[64];
    private int head;
    private int count;
    private long first;
    private long bytes;

    /** An empty cache; its first entry will have this index. */
    EntryCache(long first, long bytesMax) {
        this.first = first;
        this.bytesMax = bytesMax;
    }

    /** Changes the budget; {@link #trim} applies it. */
    void setBytesMax(long max) {
        bytesMax = max;
    }

    long last() {
        return first + count - 1;
    }

    /**
     * Adds an entry.
     *
     * @param content content hash of the entry
     * @param hash running hash of the log after the entry
     */
    void add(LogEntry entry, long content, long hash) {
        if (count == ring.length) {
            @Nullable LogEntry[] wider = new LogEntry[count * 2];
            long[] widerContents = new long[count * 2];
            long[] widerHashes = new long[count * 2];
            for (int i = 0; i < count; i++) {
                wider[i] = ring[head + i & ring.length - 1];
                widerContents[i] = contents[head + i & ring.length - 1];
                widerHashes[i] = hashes[head + i & ring.length - 1];
            }
            ring = wider;
            contents = widerContents;
            hashes = widerHashes;
            head = 0;
        }
        ring[head + count & ring.length - 1] = entry;
        contents[head + count & ring.length - 1] = content;
        hashes[head + count & ring.length - 1] = hash;
        count++;
        bytes += EntryCodec.size(entry);
    }

    @Nullable
    LogEntry get(long index) {
        return index < first || index > last() ? null : ring[head + (int) (index - first) & ring.length - 1];
    }

    /** Content hash of a cached entry, as of its addition. */
    long content(long index) {
        return contents[head + (int) (index - first) & ring.length - 1];
    }

    /** Running hash of the log after a cached entry. */
    long hash(long index) {
        return hashes[head + (int) (index - first) & ring.length - 1];
    }

    void truncateAfter(long index) {
        while (count > 0 && last() > index) {
            count--;
            forget(head + count & ring.length - 1);
        }
        if (count == 0) {
            first = index + 1;
        }
    }

    /** Removes the oldest durable entries beyond the budget. */
    void trim(long durable) {
        while (count > 0 && bytes > bytesMax && first <= durable) {
            forget(head);
            head = head + 1 & ring.length - 1;
            first++;
            count--;
        }
    }

    /** Removes entries up to this one. */
    void dropThrough(long index) {
        while (count > 0 && first <= index) {
            forget(head);
            head = head + 1 & ring.length - 1;
            first++;
            count--;
        }
    }

    private void forget(int place) {
        LogEntry entry = ring[place];
        bytes -= entry == null ? 0 : EntryCodec.size(entry);
        ring[place] = null;
    }

    /** Entries from this index within both limits, at least one; null if the first is not in memory. */
    @Nullable
    List<LogEntry> range(long index, long through, int entriesMax, long bytesLimit) {
        if (get(index) == null) {
            return null;
        }
        List<LogEntry> entries = new ArrayList<>();
        long size = 0;
        for (long i = index; i <= through && entries.size() < entriesMax; i++) {
            LogEntry entry = get(i);
            size += entry == null ? bytesLimit : EntryCodec.size(entry);
            if (entry == null || size > bytesLimit && !entries.isEmpty()) {
                break;
            }
            entries.add(entry);
        }
        return entries;
    }
}
