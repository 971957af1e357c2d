package io.uniserve.sql.rows;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Rows encoded for sending to the actors of another table: with a checksum, and compressed if large. Immutable and thread-safe. Equality is
 * identity, so that caches of derived objects can use it as a key.
 */
public final class PackedRows {
    /** Maximum size unpacked, in bytes. */
    public static final int UNPACKED_BYTES_MAX = 64 << 20;

    public static final Codec<PackedRows> CODEC = Codecs.of(PackedRows::write, PackedRows::read);

    /** Maximum number of rows, as each takes memory. */
    private static final int ROWS_MAX = 1 << 21;

    /** Maximum number of values: each takes at least eight bytes of memory, even if it is encoded in fewer. */
    private static final int VALUES_MAX = 1 << 25;

    /** Below this size rows are sent uncompressed if there is room: compression takes longer than sending. */
    private static final int DEFLATED_BYTES_MIN = 2 << 20;

    /** Minimum encoded size: two numbers, a flag, a length. */
    private static final int ONE_BYTES_MIN = 13;

    private static final int BUFFER_BYTES = 64 << 10;

    private final int count;
    private final boolean deflated;
    private final int checksum;
    private final Bytes packed;
    /** Shares per actor of a table, by actor number; empty if all actors get all rows. */
    private final List<PackedRows> partitions;
    /** Size of the encoded rows before compression, once it is known. */
    private int plainBytes;
    /** Cached after the first use: all actors of a server and all steps of a plan read the same rows. */
    private @Nullable SqlRows unpacked;

    private PackedRows(int count, boolean deflated, int checksum, Bytes packed, @Nullable SqlRows unpacked) {
        this.count = count;
        this.deflated = deflated;
        this.checksum = checksum;
        this.packed = packed;
        this.partitions = List.of();
        this.unpacked = unpacked;
    }

    private PackedRows(List<PackedRows> shares) {
        this.count = shares.stream().mapToInt(PackedRows::count).sum();
        this.deflated = false;
        this.checksum = 0;
        this.packed = Bytes.EMPTY;
        this.partitions = List.copyOf(shares);
    }

    /** Packs the rows of several relations. */
    public static Map<String, PackedRows> of(Map<String, SqlRows> relations) {
        Map<String, PackedRows> packed = new TreeMap<>();
        relations.forEach((name, rows) -> packed.put(name, of(rows)));
        return packed;
    }

    /** Packs rows. Fails with TOO_LARGE if they exceed {@link #UNPACKED_BYTES_MAX} or the limits on rows and values. */
    public static PackedRows of(SqlRows rows) {
        check(rows);
        BinaryWriter out = BinaryWriter.limited(UNPACKED_BYTES_MAX);
        SqlRows.write(out, rows);
        Bytes plain = out.finish();
        PackedRows packed = new PackedRows(rows.count(), false, checksum(plain), plain, rows);
        packed.plainBytes = plain.size();
        return plain.size() < DEFLATED_BYTES_MIN ? packed : packed.deflate();
    }

    private static void check(SqlRows rows) {
        long values = (long) rows.count() * rows.types().size();
        if (rows.count() > ROWS_MAX || values > VALUES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    rows.count() + " rows of " + rows.types().size() + " columns are to be sent; at most " + ROWS_MAX
                            + " rows and " + VALUES_MAX + " values are allowed: add conditions, or name fewer columns");
        }
    }

    /**
     * Packs rows into one share per actor, by the table's key. Rows whose value cannot be a key are left out.
     *
     * @param column the column that is compared with the table's key
     * @param whole true if keys are whole numbers, false if they are texts
     */
    public static PackedRows ofPartitioned(SqlRows rows, int column, Partitioner partitioner, boolean whole) {
        check(rows);
        List<PackedRows> shares = new ArrayList<>();
        long bytes = 0;
        for (SqlRows share : rows.partition(column, partitioner, whole)) {
            PackedRows packed = of(share);
            bytes += packed.plainBytes;
            if (bytes > UNPACKED_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "rows of more than " + UNPACKED_BYTES_MAX
                                + " bytes are to be sent: add conditions, or name fewer" + " columns");
            }
            shares.add(packed);
        }
        return new PackedRows(shares);
    }

    /** Returns the same rows with the best compression, which takes more time. */
    public PackedRows deflate() {
        if (!partitions.isEmpty()) {
            return new PackedRows(partitions.stream().map(PackedRows::deflate).toList());
        }
        if (deflated) {
            return this;
        }
        Bytes less = deflateBytes(packed);
        PackedRows smaller = new PackedRows(count, true, checksum(less), less, unpacked);
        smaller.plainBytes = packed.size();
        return smaller;
    }

    /** True if actors get different shares. */
    public boolean isPartitioned() {
        return !partitions.isEmpty();
    }

    /** Returns the share of an actor. */
    public PackedRows partition(int actor) {
        if (partitions.isEmpty()) {
            return this;
        }
        if (actor >= partitions.size()) {
            throw UniserveException.invalid("rows for " + partitions.size() + " actors have none for actor " + actor);
        }
        return partitions.get(actor);
    }

    private static void write(BinaryWriter out, PackedRows rows) {
        out.writeInt(rows.partitions.size());
        if (rows.partitions.isEmpty()) {
            writeOne(out, rows);
        }
        rows.partitions.forEach(share -> writeOne(out, share));
    }

    private static void writeOne(BinaryWriter out, PackedRows rows) {
        out.writeInt(rows.count)
                .writeBoolean(rows.deflated)
                .writeInt(rows.checksum)
                .writeBytes(rows.packed);
    }

    private static PackedRows read(BinaryReader in) {
        List<PackedRows> shares = new ArrayList<>();
        int count = in.readCount(ONE_BYTES_MIN);
        if (count == 0) {
            return readOne(in);
        }
        long rows = 0;
        for (int left = count; left > 0; left--) {
            PackedRows share = readOne(in);
            rows += share.count;
            if (share.count < 0 || rows > ROWS_MAX) {
                throw corrupt(share.count + " of " + rows + " packed rows, at most " + ROWS_MAX, null);
            }
            shares.add(share);
        }
        return new PackedRows(shares);
    }

    private static PackedRows readOne(BinaryReader in) {
        return new PackedRows(in.readInt(), in.readBoolean(), in.readInt(), in.readBytes(), null);
    }

    private static int checksum(Bytes bytes) {
        CRC32C sum = new CRC32C();
        sum.update(bytes.buffer());
        return (int) sum.getValue();
    }

    private static Bytes deflateBytes(Bytes bytes) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try {
            deflater.setInput(bytes.buffer());
            deflater.finish();
            ByteArrayOutputStream out = new ByteArrayOutputStream(BUFFER_BYTES);
            byte[] buffer = new byte[BUFFER_BYTES];
            while (!deflater.finished()) {
                out.write(buffer, 0, deflater.deflate(buffer));
            }
            return Bytes.wrap(out.toByteArray());
        } finally {
            deflater.end();
        }
    }

    /** Number of rows. */
    public int count() {
        return count;
    }

    /** Encoded size in bytes. */
    public int bytes() {
        return packed.size() + partitions.stream().mapToInt(PackedRows::bytes).sum();
    }

    /** Returns the rows. Fails with CORRUPT if the bytes are invalid. */
    public SqlRows unpack() {
        return unpack(UNPACKED_BYTES_MAX, VALUES_MAX);
    }

    /** Returns the rows within these limits. Rows that are unpacked already are returned regardless. */
    private synchronized SqlRows unpack(int bytesMax, int valuesMax) {
        SqlRows known = unpacked;
        if (known == null) {
            known = partitions.isEmpty() ? read(bytesMax, valuesMax) : unpackPartitions(bytesMax, valuesMax);
            unpacked = known;
        }
        return known;
    }

    /** Unpacks all shares, within the limits of a single one. */
    private SqlRows unpackPartitions(int bytesMax, int valuesMax) {
        List<SqlRows> parts = new ArrayList<>();
        int bytes = bytesMax;
        long values = valuesMax;
        for (PackedRows share : partitions) {
            SqlRows part = share.unpack(bytes, (int) values);
            bytes -= share.plainBytes;
            values -= (long) part.count() * part.types().size();
            if (bytes < 0 || values < 0) {
                throw corrupt("packed rows have too many bytes or values", null);
            }
            parts.add(part);
        }
        return SqlRows.concat(parts);
    }

    private SqlRows read(int bytesMax, int valuesMax) {
        if (checksum(packed) != checksum) {
            throw corrupt("packed rows have a wrong checksum", null);
        }
        if (count < 0 || count > ROWS_MAX) {
            throw corrupt(count + " packed rows, at most " + ROWS_MAX, null);
        }
        Bytes plain = deflated ? inflateBytes(bytesMax) : packed;
        plainBytes = plain.size();
        if (plainBytes > bytesMax) {
            throw corrupt("packed rows have too many bytes", null);
        }
        BinaryReader in = new BinaryReader(plain);
        SqlRows rows = SqlRows.read(in, OptionalInt.of(count), valuesMax);
        in.expectEnd();
        return rows;
    }

    private Bytes inflateBytes(int bytesMax) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed.buffer());
            ByteArrayOutputStream out = new ByteArrayOutputStream(BUFFER_BYTES);
            byte[] buffer = new byte[BUFFER_BYTES];
            while (!inflater.finished()) {
                int more = inflater.inflate(buffer);
                if (more == 0 || out.size() > bytesMax - more) {
                    throw corrupt("packed rows end too early or have too many bytes", null);
                }
                out.write(buffer, 0, more);
            }
            return Bytes.wrap(out.toByteArray());
        } catch (DataFormatException e) {
            throw corrupt("packed rows cannot be decompressed: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
    }

    private static UniserveException corrupt(String message, @Nullable Throwable cause) {
        return new UniserveException(ErrorCode.CORRUPT, message, cause);
    }
}
