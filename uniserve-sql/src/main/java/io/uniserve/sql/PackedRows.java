package io.uniserve.sql;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayOutputStream;
import java.util.OptionalInt;
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

    public static final Codec<PackedRows> CODEC = Codecs.of(
            (out, rows) -> out.writeInt(rows.count)
                    .writeBoolean(rows.deflated)
                    .writeInt(rows.checksum)
                    .writeBytes(rows.packed),
            in -> new PackedRows(in.readInt(), in.readBoolean(), in.readInt(), in.readBytes(), null));

    /** Rows at most: each takes memory. */
    private static final int ROWS_MAX = 1 << 21;

    /** Values at most: each takes eight bytes of memory or more, however few it travels in. */
    private static final int VALUES_MAX = 1 << 25;

    /** Fewer bytes are sent as they are: to deflate them takes longer than to send them. */
    private static final int DEFLATED_BYTES_MIN = 16 << 10;

    private static final int BUFFER_BYTES = 64 << 10;

    private final int count;
    private final boolean deflated;
    private final int checksum;
    private final Bytes packed;
    /** Once they were wanted, as all actors of a server and all steps of a plan want the same. */
    private @Nullable SqlRows unpacked;

    private PackedRows(int count, boolean deflated, int checksum, Bytes packed, @Nullable SqlRows unpacked) {
        this.count = count;
        this.deflated = deflated;
        this.checksum = checksum;
        this.packed = packed;
        this.unpacked = unpacked;
    }

    /** Packs rows; TOO_LARGE where they have more than {@link #UNPACKED_BYTES_MAX}, or are too many. */
    public static PackedRows of(SqlRows rows) {
        long values = (long) rows.count() * rows.types().size();
        if (rows.count() > ROWS_MAX || values > VALUES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    rows.count() + " rows of " + rows.types().size() + " columns are packed; at most " + ROWS_MAX
                            + " rows and " + VALUES_MAX + " values may be: add conditions, or name fewer columns");
        }
        BinaryWriter out = BinaryWriter.limited(UNPACKED_BYTES_MAX);
        SqlRows.write(out, rows);
        Bytes plain = out.finish();
        boolean deflated = plain.size() >= DEFLATED_BYTES_MIN;
        Bytes packed = deflated ? deflated(plain) : plain;
        return new PackedRows(rows.count(), deflated, checksum(packed), packed, rows);
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
        return packed.size();
    }

    /** The rows; CORRUPT where the bytes are not such. */
    public synchronized SqlRows unpacked() {
        SqlRows known = unpacked;
        if (known == null) {
            known = read();
            unpacked = known;
        }
        return known;
    }

    private SqlRows read() {
        if (checksum(packed) != checksum) {
            throw corrupt("packed rows whose checksum is another", null);
        }
        if (count < 0 || count > ROWS_MAX) {
            throw corrupt(count + " packed rows, at most " + ROWS_MAX, null);
        }
        BinaryReader in = new BinaryReader(deflated ? inflated() : packed);
        SqlRows rows = SqlRows.read(in, OptionalInt.of(count), VALUES_MAX);
        in.expectEnd();
        return rows;
    }

    private Bytes inflated() {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed.buffer());
            ByteArrayOutputStream out = new ByteArrayOutputStream(BUFFER_BYTES);
            byte[] buffer = new byte[BUFFER_BYTES];
            while (!inflater.finished()) {
                int more = inflater.inflate(buffer);
                if (more == 0 || out.size() > UNPACKED_BYTES_MAX - more) {
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
