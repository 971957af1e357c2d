package io.uniserve.sql;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Rows as they are sent to every actor of another table: column by column, compressed. Immutable; safe for use by several
 * threads. Equal by identity: who keeps what was made of them tells them apart so.
 */
public final class PackedRows {
    /** Unpacked bytes at most. */
    public static final int UNPACKED_BYTES_MAX = 64 << 20;

    public static final Codec<PackedRows> CODEC = Codecs.of(
            (out, rows) -> out.writeInt(rows.count).writeBytes(rows.packed),
            in -> new PackedRows(in.readInt(), in.readBytes()));

    /** Rows at most: NULLs take next to no bytes, and each row takes memory. */
    private static final int ROWS_MAX = 1 << 21;

    private static final int BUFFER_BYTES = 64 << 10;

    private final int count;
    private final Bytes packed;

    private PackedRows(int count, Bytes packed) {
        this.count = count;
        this.packed = packed;
    }

    /** Packs rows; TOO_LARGE where they have more than {@link #UNPACKED_BYTES_MAX}. */
    public static PackedRows of(SqlRows rows) {
        BinaryWriter out = BinaryWriter.limited(UNPACKED_BYTES_MAX);
        out.writeInt(rows.types().size());
        rows.types().forEach(out::writeString);
        out.writeInt(rows.rows().size());
        for (int column = 0; column < rows.types().size(); column++) {
            for (List<@Nullable String> row : rows.rows()) {
                String value = row.get(column);
                out.writeBoolean(value != null);
                if (value != null) {
                    out.writeString(value);
                }
            }
        }
        return new PackedRows(rows.rows().size(), deflated(out.finish()));
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
    public SqlRows unpacked() {
        BinaryReader in = new BinaryReader(inflated());
        List<String> types = new ArrayList<>();
        for (int left = in.readCount(1); left > 0; left--) {
            types.add(in.readString());
        }
        int rows = in.readCount(Math.max(1, types.size()));
        if (types.isEmpty() || rows != count || rows > ROWS_MAX) {
            throw corrupt("rows without columns, too many, or not as many as are told", null);
        }
        List<List<@Nullable String>> all = new ArrayList<>(rows);
        for (int row = 0; row < rows; row++) {
            all.add(new ArrayList<>(types.size()));
        }
        for (int column = 0; column < types.size(); column++) {
            for (List<@Nullable String> row : all) {
                row.add(in.readBoolean() ? in.readString() : null);
            }
        }
        in.expectEnd();
        all.replaceAll(Collections::unmodifiableList);
        return new SqlRows(types, all);
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
