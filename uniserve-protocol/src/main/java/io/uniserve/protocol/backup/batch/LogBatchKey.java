package io.uniserve.protocol.backup.batch;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.format.BackupPaths;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Key of a batch: an object with log runs of several actors, one after the other. The key has the directory of its runs, so a listing of
 * keys alone shows every run: {@code batch/<cluster>/<milliseconds>-<random>/<directory>}. The
 * directory has a slash after each 200 characters, as servers of S3 that keep objects as files limit the names of folders. Immutable.
 *
 * @param wallMillis wall clock of the writer
 * @param random random number of the batch, so that no key is used twice
 */
record LogBatchKey(String cluster, long wallMillis, long random, List<Entry> entries) {
    /** Longest key in characters. S3 permits 1,024 bytes, with the prefix of the location, which has at most 256. */
    static final int CHARS_MAX = 760;

    private static final int NAME_CHARS_MAX = 200;
    private static final Pattern NAME = Pattern.compile(
            "batch/([a-z0-9.-]{1,128})/(\\d{20})-([0-9a-f]{16})/([0-9a-v]{1,200}(?:/[0-9a-v]{1,200})*)");
    private static final int RADIX = 32;
    private static final int BITS_PER_CHAR = 5;

    LogBatchKey {
        entries = List.copyOf(entries);
    }

    /**
     * A run in the batch.
     *
     * @param length size of the run in bytes
     */
    record Entry(ReplicaKey key, long first, long last, long epoch, int length) {
        /** Key of the run, as if it were an object of its own. */
        String runKey(String cluster) {
            return BackupPaths.log(cluster, key, first, last, epoch);
        }
    }

    /** A run with its bytes. */
    record Slice(Entry entry, Bytes data) {}

    /** Size of the batch in bytes. */
    long bytes() {
        return entries.stream().mapToLong(Entry::length).sum();
    }

    /** The runs in the batch's bytes. */
    List<Slice> slices(Bytes data) {
        List<Slice> slices = new ArrayList<>();
        int offset = 0;
        for (Entry entry : entries) {
            slices.add(new Slice(entry, data.slice(offset, entry.length())));
            offset += entry.length();
        }
        return slices;
    }

    /** Prefix of all batches of the cluster. */
    static String prefix(String cluster) {
        return "batch/" + cluster + "/";
    }

    /** Number of characters of a key of the cluster without entries, at most. */
    static int charsOf(String cluster) {
        return prefix(cluster).length() + 48;
    }

    /** Number of characters that the entry adds to a key, at most. */
    static int charsOf(Entry entry) {
        return (encode(List.of(entry)).size() * Byte.SIZE + BITS_PER_CHAR - 1) / BITS_PER_CHAR;
    }

    /** The key as text. */
    String text() {
        // A leading one keeps leading zeros of the first byte.
        byte[] bytes = encode(entries).toArray();
        byte[] marked = new byte[bytes.length + 1];
        marked[0] = 1;
        System.arraycopy(bytes, 0, marked, 1, bytes.length);
        String directory = new BigInteger(marked).toString(RADIX);
        StringBuilder text = new StringBuilder(prefix(cluster)).append("%020d-%016x".formatted(wallMillis, random));
        for (int from = 0; from < directory.length(); from += NAME_CHARS_MAX) {
            text.append('/').append(directory, from, Math.min(directory.length(), from + NAME_CHARS_MAX));
        }
        return text.toString();
    }

    /** The batch that the key names, of any cluster; empty for another key, also for a damaged one. */
    static Optional<LogBatchKey> parse(String key) {
        Matcher name = NAME.matcher(key.length() > CHARS_MAX ? "" : key);
        if (!name.matches() || name.group(2).compareTo("0" + Long.MAX_VALUE) > 0) {
            return Optional.empty();
        }
        byte[] marked = new BigInteger(name.group(4).replace("/", ""), RADIX).toByteArray();
        if (marked.length < 2 || marked[0] != 1) {
            return Optional.empty();
        }
        try {
            return Optional.of(new LogBatchKey(
                    name.group(1),
                    Long.parseLong(name.group(2)),
                    Long.parseUnsignedLong(name.group(3), 16),
                    decode(Bytes.wrap(marked).slice(1, marked.length - 1))));
        } catch (UniserveException | ArithmeticException e) {
            return Optional.empty();
        }
    }

    private static Bytes encode(List<Entry> entries) {
        BinaryWriter out = new BinaryWriter();
        for (Entry entry : entries) {
            write(out, entry.key().tableId());
            write(out, entry.key().actor());
            write(out, entry.first());
            write(out, entry.last() - entry.first());
            write(out, entry.epoch());
            write(out, entry.length());
        }
        return out.toBytes();
    }

    private static List<Entry> decode(Bytes data) {
        BinaryReader in = new BinaryReader(data);
        List<Entry> entries = new ArrayList<>();
        while (in.remaining() > 0) {
            ReplicaKey key = new ReplicaKey(read(in), Math.toIntExact(read(in)));
            long first = read(in);
            entries.add(new Entry(key, first, Math.addExact(first, read(in)), read(in), Math.toIntExact(read(in))));
        }
        return entries;
    }

    /** Writes seven bits per byte, the lowest first. */
    private static void write(BinaryWriter out, long value) {
        long rest = value;
        while (rest >= 0x80) {
            out.writeByte((int) (rest & 0x7f | 0x80));
            rest >>>= 7;
        }
        out.writeByte((int) rest);
    }

    private static long read(BinaryReader in) {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE - 1; shift += 7) {
            byte next = in.readByte();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new ArithmeticException("number has more than 63 bits");
    }
}
