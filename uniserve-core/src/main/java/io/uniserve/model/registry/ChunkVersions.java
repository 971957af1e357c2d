package io.uniserve.model.registry;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.util.ArrayList;
import java.util.List;

/**
 * Newest chunks of the committed versions of an atomic TIME table. Storage keeps nothing of expired chunks. So a committed version that
 * storage lacks either concerned expired chunks only, or it is lost. This list decides between the two.
 *
 * <p>It has the committed versions whose newest chunk is later than that of every later version. A version without an entry has no later
 * chunk than the next entry, so it expires no later. Two kinds of versions have no entry either: those whose newest chunk is before
 * {@code expiredBefore}, and those before the start of a restored table, which starts with all of them in storage.
 *
 * @param entries by ascending version; the chunks descend
 * @param expiredBefore ordinal of the first chunk that was not expired at the last change
 */
public record ChunkVersions(List<Entry> entries, int expiredBefore) {
    /** The list of a new table, and of tables that are not partitioned by time. */
    public static final ChunkVersions NONE = new ChunkVersions(List.of(), 0);

    private static final int MORE = 0x80;
    private static final int GROUP_BITS = 7;

    public ChunkVersions {
        entries = List.copyOf(entries);
        if (expiredBefore < 0) {
            throw UniserveException.invalid(
                    "expiredBefore of chunk versions is " + expiredBefore + ": it must not be negative");
        }
        if (entries.size() > Limits.TIME_ACTORS_PER_TABLE_MAX) {
            throw UniserveException.invalid("chunk versions has " + entries.size() + " entries: at most "
                    + Limits.TIME_ACTORS_PER_TABLE_MAX + " are allowed");
        }
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            boolean inOrder = i == 0
                    || entry.version() > entries.get(i - 1).version()
                            && entry.chunk() < entries.get(i - 1).chunk();
            if (entry.version() < 1 || entry.chunk() < expiredBefore || !inOrder) {
                throw UniserveException.invalid("chunk versions has version " + entry.version() + " with chunk "
                        + entry.chunk() + " at place " + i + ": versions must ascend, and chunks descend to "
                        + expiredBefore);
            }
        }
    }

    /**
     * A committed version.
     *
     * @param chunk ordinal of the newest chunk with rows in it
     */
    public record Entry(long version, int chunk) {}

    /** True if it is as in a new table. */
    public boolean isNone() {
        return equals(NONE);
    }

    /**
     * The list after the commit of a version later than all of these.
     *
     * @param chunk ordinal of the newest chunk with rows in the version
     * @param expired ordinal of the first chunk that is not expired
     */
    public ChunkVersions withCommit(long version, int chunk, int expired) {
        int before = Math.max(expiredBefore, expired);
        List<Entry> next = new ArrayList<>(laterThan(Math.max(chunk, before - 1)));
        if (chunk >= before) {
            next.add(new Entry(version, chunk));
        }
        return new ChunkVersions(next, before);
    }

    /** The list without entries of chunks before this ordinal, which are expired. */
    public ChunkVersions withoutChunksBefore(int ordinal) {
        return ordinal <= expiredBefore ? this : new ChunkVersions(laterThan(ordinal - 1), ordinal);
    }

    private List<Entry> laterThan(int chunk) {
        int kept = entries.size();
        while (kept > 0 && entries.get(kept - 1).chunk() <= chunk) {
            kept--;
        }
        return entries.subList(0, kept);
    }

    /**
     * The newest committed version with rows in a live chunk. Every later one concerned expired chunks only.
     *
     * @param expired ordinal of the first chunk that is not expired
     * @return 0 if there is none after the start of the table
     */
    public long newestLive(int expired) {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).chunk() >= expired) {
                return entries.get(i).version();
            }
        }
        return 0;
    }

    /** Encodes the list: the differences between neighbours, in groups of 7 bits. {@link #NONE} takes no bytes, other lists few. */
    public Bytes encode() {
        if (isNone()) {
            return Bytes.EMPTY;
        }
        BinaryWriter out = new BinaryWriter();
        writeGroups(out, expiredBefore);
        long version = 0;
        long chunk = 0;
        for (Entry entry : entries) {
            writeGroups(out, entry.version() - version);
            writeGroups(out, version == 0 ? entry.chunk() : chunk - entry.chunk());
            version = entry.version();
            chunk = entry.chunk();
        }
        return out.toBytes();
    }

    /** Decodes the result of {@link #encode}; INVALID_ARGUMENT or CORRUPT for other bytes. */
    public static ChunkVersions decode(Bytes data) {
        if (data.size() == 0) {
            return NONE;
        }
        BinaryReader in = new BinaryReader(data);
        long expiredBefore = readGroups(in);
        if (expiredBefore > Integer.MAX_VALUE) {
            throw UniserveException.invalid(
                    "expiredBefore of chunk versions is " + expiredBefore + ": it is not an ordinal");
        }
        List<Entry> entries = new ArrayList<>();
        long version = 0;
        long chunk = 0;
        while (in.remaining() > 0) {
            long versions = readGroups(in);
            long chunks = readGroups(in);
            chunk = version == 0 ? chunks : chunk - chunks;
            version += versions;
            if (versions < 1 || version < 1 || chunk < 0 || chunk > Integer.MAX_VALUE) {
                throw UniserveException.invalid("chunk versions has a number that is out of range at place "
                        + entries.size() + ": versions must ascend, and chunks descend");
            }
            entries.add(new Entry(version, (int) chunk));
        }
        return new ChunkVersions(entries, (int) expiredBefore);
    }

    private static void writeGroups(BinaryWriter out, long value) {
        long left = value;
        while (left >= MORE) {
            out.writeByte((int) (left % MORE) + MORE);
            left >>>= GROUP_BITS;
        }
        out.writeByte((int) left);
    }

    private static long readGroups(BinaryReader in) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE - 1; shift += GROUP_BITS) {
            int group = in.readByte() & 0xff;
            value |= (long) (group & (MORE - 1)) << shift;
            if (group < MORE) {
                return value;
            }
        }
        throw UniserveException.invalid("chunk versions has a number of more than 9 groups of 7 bits");
    }
}
