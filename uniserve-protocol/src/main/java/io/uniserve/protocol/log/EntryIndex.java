package io.uniserve.protocol.log;

import java.util.Arrays;

/** Index of durable entries: position on disk and running hash, 28 bytes per entry. */
final class EntryIndex {
    private long base;
    private int count;
    private int[] segments = new int[64];
    private int[] offsets = new int[64];
    private int[] sizes = new int[64];
    private long[] epochs = new long[64];
    private long[] hashes = new long[64];

    /** An empty index whose first entry will be {@code base + 1}. */
    EntryIndex(long base) {
        this.base = base;
    }

    long last() {
        return base + count;
    }

    void add(int segment, int offset, int size, long epoch, long hash) {
        if (count == segments.length) {
            int wanted = count * 2;
            segments = Arrays.copyOf(segments, wanted);
            offsets = Arrays.copyOf(offsets, wanted);
            sizes = Arrays.copyOf(sizes, wanted);
            epochs = Arrays.copyOf(epochs, wanted);
            hashes = Arrays.copyOf(hashes, wanted);
        }
        segments[count] = segment;
        offsets[count] = offset;
        sizes[count] = size;
        hashes[count] = hash;
        epochs[count++] = epoch;
    }

    void truncateAfter(long index) {
        count = at(index + 1);
    }

    /** Removes entries up to this one. The index must be in the log or just before it. */
    void dropThrough(long index) {
        int gone = at(index + 1);
        int left = count - gone;
        System.arraycopy(segments, gone, segments, 0, left);
        System.arraycopy(offsets, gone, offsets, 0, left);
        System.arraycopy(sizes, gone, sizes, 0, left);
        System.arraycopy(epochs, gone, epochs, 0, left);
        System.arraycopy(hashes, gone, hashes, 0, left);
        base = index;
        count = left;
    }

    /** Releases memory after the log has become shorter. */
    void shrink() {
        int wanted = Math.max(64, Integer.highestOneBit(Math.max(1, count)) * 2);
        if (wanted * 2 <= segments.length) {
            segments = Arrays.copyOf(segments, wanted);
            offsets = Arrays.copyOf(offsets, wanted);
            sizes = Arrays.copyOf(sizes, wanted);
            epochs = Arrays.copyOf(epochs, wanted);
            hashes = Arrays.copyOf(hashes, wanted);
        }
    }

    int segment(long index) {
        return segments[at(index)];
    }

    int offset(long index) {
        return offsets[at(index)];
    }

    int size(long index) {
        return sizes[at(index)];
    }

    long epoch(long index) {
        return epochs[at(index)];
    }

    long hash(long index) {
        return hashes[at(index)];
    }

    private int at(long index) {
        return (int) (index - base - 1);
    }
}
