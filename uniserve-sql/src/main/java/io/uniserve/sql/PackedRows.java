package io.uniserve.sql;

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
 * Rows as they are sent to every actor of another table: with a checksum, and compressed where they are many. Immutable; safe
 * for use by several threads. Equal by identity: who keeps what was made of them tells them apart so.
 */
public final class PackedRows {
    /** Unpacked bytes at most. */
    public static final int UNPACKED_BYTES_MAX = 64 << 20;

    public static final Codec<PackedRows> CODEC = Codecs.of(PackedRows::write, PackedRows::read);

    /** Rows at most: each takes memory. */
    private static final int ROWS_MAX = 1 << 21;

    /** Values at most: each takes eight bytes of memory or more, however few it travels in. */
    private static final int VALUES_MAX = 1 << 25;

    /** Fewer bytes are sent as they are, where there is room: to deflate them takes longer than to send them. */
    private static final int DEFLATED_BYTES_MIN = 2 << 20;

    /** What packed rows travel in at least: two numbers, a flag, a length. */
    private static final int ONE_BYTES_MIN = 13;

    private static final int BUFFER_BYTES = 64 << 10;

    private final int count;
    private final boolean deflated;
    private final int checksum;
    private final Bytes packed;
    /** What each actor of a table wants of them, by their numbers; empty where all want all. */
    private final List<PackedRows> shares;
    /** Bytes of the rows as they are packed, not deflated; once that is known. */
    private int plainBytes;
    /** Once they were wanted, as all actors of a server and all steps of a plan want the same. */
    private @Nullable SqlRows unpacked;

    private PackedRows(int count, boolean deflated, int checksum, Bytes packed, @Nullable SqlRows unpacked) {
        this.count = count;
        this.deflated = deflated;
        this.checksum = checksum;
        this.packed = packed;
        this.shares = List.of();
        this.unpacked = unpacked;
    }

    private PackedRows(List<PackedRows> shares) {
        this.count = shares.stream().mapToInt(PackedRows::count).sum();
        this.deflated = false;
        this.checksum = 0;
        this.packed = Bytes.EMPTY;
        this.shares = List.copyOf(shares);
    }

    /** Packs the rows of several relations. */
    public static Map<String, PackedRows> of(Map<String, SqlRows> relations) {
        Map<String, PackedRows> packed = new TreeMap<>();
        relations.forEach((name, rows) -> packed.put(name, of(rows)));
        return packed;
    }

    /** Packs rows; TOO_LARGE where they have more than {@link #UNPACKED_BYTES_MAX}, or are too many. */
    public static PackedRows of(SqlRows rows) {
        check(rows);
        BinaryWriter out = BinaryWriter.limited(UNPACKED_BYTES_MAX);
        SqlRows.write(out, rows);
        Bytes plain = out.finish();
        PackedRows packed = new PackedRows(rows.count(), false, checksum(plain), plain, rows);
        packed.plainBytes = plain.size();
        return plain.size() < DEFLATED_BYTES_MIN ? packed : packed.smaller();
    }

    private static void check(SqlRows rows) {
        long values = (long) rows.count() * rows.types().size();
        if (rows.count() > ROWS_MAX || values > VALUES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    rows.count() + " rows of " + rows.types().size() + " columns are packed; at most " + ROWS_MAX
                            + " rows and " + VALUES_MAX + " values may be: add conditions, or name fewer columns");
        }
    }

    /**
     * Packs rows of which each actor of a table wants those with keys of its own. Those whose value can be no key are left out.
     *
     * @param column of the rows that is compared with the table's key
     * @param whole whether keys are whole numbers, and not texts
     */
    static PackedRows shared(SqlRows rows, int column, Partitioner partitioner, boolean whole) {
        check(rows);
        List<PackedRows> shares = new ArrayList<>();
        long bytes = 0;
        for (SqlRows share : rows.byActor(column, partitioner, whole)) {
            PackedRows packed = of(share);
            bytes += packed.plainBytes;
            if (bytes > UNPACKED_BYTES_MAX) {
                throw new UniserveException(
                        ErrorCode.TOO_LARGE,
                        "rows of more than " + UNPACKED_BYTES_MAX + " bytes are packed: add conditions, or name fewer"
                                + " columns");
            }
            shares.add(packed);
        }
        return new PackedRows(shares);
    }

    /** The same in fewer bytes, where time does not matter. */
    PackedRows smaller() {
        if (!shares.isEmpty()) {
            return new PackedRows(shares.stream().map(PackedRows::smaller).toList());
        }
        if (deflated) {
            return this;
        }
        Bytes less = deflated(packed);
        PackedRows smaller = new PackedRows(count, true, checksum(less), less, unpacked);
        smaller.plainBytes = packed.size();
        return smaller;
    }

    /** True where actors of a table want different rows. */
    boolean isShared() {
        return !shares.isEmpty();
    }

    /** What an actor of the table wants that the rows are packed for. */
    PackedRows share(int actor) {
        if (shares.isEmpty()) {
            return this;
        }
        if (actor >= shares.size()) {
            throw UniserveException.invalid("rows for " + shares.size() + " actors have none for actor " + actor);
        }
        return shares.get(actor);
    }

    private static void write(BinaryWriter out, PackedRows rows) {
        out.writeInt(rows.shares.size());
        if (rows.shares.isEmpty()) {
            writeOne(out, rows);
        }
        rows.shares.forEach(share -> writeOne(out, share));
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

    private static Bytes deflated(Bytes bytes) {
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

    /** How many rows. */
    public int count() {
        return count;
    }

    /** Bytes that travel. */
    public int bytes() {
        return packed.size() + shares.stream().mapToInt(PackedRows::bytes).sum();
    }

    /** The rows; CORRUPT where the bytes are not such. */
    public SqlRows unpacked() {
        return unpacked(UNPACKED_BYTES_MAX, VALUES_MAX);
    }

    /** The same, which are refused where they have more bytes or values; those that are there already are not. */
    private synchronized SqlRows unpacked(int bytesMax, int valuesMax) {
        SqlRows known = unpacked;
        if (known == null) {
            known = shares.isEmpty() ? read(bytesMax, valuesMax) : all(bytesMax, valuesMax);
            unpacked = known;
        }
        return known;
    }

    /** All shares together have no more than one alone may. */
    private SqlRows all(int bytesMax, int valuesMax) {
        List<SqlRows> parts = new ArrayList<>();
        int bytes = bytesMax;
        long values = valuesMax;
        for (PackedRows share : shares) {
            SqlRows part = share.unpacked(bytes, (int) values);
            bytes -= share.plainBytes;
            values -= (long) part.count() * part.types().size();
            if (bytes < 0 || values < 0) {
                throw corrupt("packed rows that have too many bytes or values", null);
            }
            parts.add(part);
        }
        return SqlRows.concat(parts);
    }

    private SqlRows read(int bytesMax, int valuesMax) {
        if (checksum(packed) != checksum) {
            throw corrupt("packed rows whose checksum is another", null);
        }
        if (count < 0 || count > ROWS_MAX) {
            throw corrupt(count + " packed rows, at most " + ROWS_MAX, null);
        }
        Bytes plain = deflated ? inflated(bytesMax) : packed;
        plainBytes = plain.size();
        if (plainBytes > bytesMax) {
            throw corrupt("packed rows that have too many bytes", null);
        }
        BinaryReader in = new BinaryReader(plain);
        SqlRows rows = SqlRows.read(in, OptionalInt.of(count), valuesMax);
        in.expectEnd();
        return rows;
    }

    private Bytes inflated(int bytesMax) {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed.buffer());
            ByteArrayOutputStream out = new ByteArrayOutputStream(BUFFER_BYTES);
            byte[] buffer = new byte[BUFFER_BYTES];
            while (!inflater.finished()) {
                int more = inflater.inflate(buffer);
                if (more == 0 || out.size() > bytesMax - more) {
                    throw corrupt("packed rows that end too early, or have too many bytes", null);
                }
                out.write(buffer, 0, more);
            }
            return Bytes.wrap(out.toByteArray());
        } catch (DataFormatException e) {
            throw corrupt("packed rows that are not: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
    }

    private static UniserveException corrupt(String message, @Nullable Throwable cause) {
        return new UniserveException(ErrorCode.CORRUPT, message, cause);
    }
}
