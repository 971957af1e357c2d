package io.uniserve.sql.engine;

import io.uniserve.api.ContentDigest;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Checkpoint file for engines without a format of their own: rows as texts, in pieces, in a gzip stream whose checksum reveals damage. */
public final class RowCheckpointFile {
    private static final String NAME = "rows.gz";
    private static final int MAGIC = 0x554d_0001;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int TEXT_BYTES_MAX = 64 << 20;

    private RowCheckpointFile() {}

    /** Consumer of rows. */
    @FunctionalInterface
    public interface Rows {
        void accept(List<List<@Nullable String>> rows) throws Exception;
    }

    /** Source of all rows. */
    @FunctionalInterface
    public interface Source {
        void forEachRow(Rows consumer) throws Exception;
    }

    /** Writes the file into an empty directory. */
    public static void write(Path directory, int columns, Source source) throws Exception {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(
                new GZIPOutputStream(Files.newOutputStream(directory.resolve(NAME)), BUFFER_BYTES), BUFFER_BYTES))) {
            out.writeInt(MAGIC);
            out.writeInt(columns);
            source.forEachRow(rows -> {
                if (rows.isEmpty()) {
                    return; // 0 rows are the file's end
                }
                out.writeInt(rows.size());
                for (List<@Nullable String> row : rows) {
                    for (String value : row) {
                        byte[] bytes = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
                        out.writeInt(value == null ? -1 : bytes.length);
                        out.write(bytes);
                    }
                }
            });
            out.writeInt(0);
        }
    }

    /** Reads the file in the pieces in which it was written. Fails with CORRUPT if it is damaged or of another format. */
    public static void read(Path directory, int columns, Rows consumer) throws Exception {
        Path file = directory.resolve(NAME);
        try (DataInputStream in = new DataInputStream(
                new BufferedInputStream(new GZIPInputStream(Files.newInputStream(file), BUFFER_BYTES), BUFFER_BYTES))) {
            if (in.readInt() != MAGIC || in.readInt() != columns) {
                throw new IOException("the file has no rows of this table");
            }
            for (int count = in.readInt(); count != 0; count = in.readInt()) {
                List<List<@Nullable String>> rows = new ArrayList<>();
                for (int i = 0; i < count; i++) {
                    rows.add(row(in, columns));
                }
                consumer.accept(rows);
            }
            // The gzip checksum is verified when the end of the stream is read.
            if (in.read() >= 0) {
                throw new IOException("the file has data after its end");
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "checkpoint " + file + " is damaged: " + e.getMessage(), e);
        }
    }

    /** Returns a digest of rows that does not depend on their order, for {@link io.uniserve.api.ActorView#digest}. */
    public static byte[] digest(Source source) throws Exception {
        ContentDigest digest = new ContentDigest();
        source.forEachRow(rows -> rows.forEach(row -> {
            StringBuilder text = new StringBuilder();
            row.forEach(value -> text.append(value == null ? "-" : value.length() + ":" + value));
            digest.add(text.toString());
        }));
        return digest.toBytes();
    }

    private static List<@Nullable String> row(DataInputStream in, int columns) throws IOException {
        List<@Nullable String> row = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            int length = in.readInt();
            if (length < -1 || length > TEXT_BYTES_MAX) {
                throw new IOException("the file has a text of " + length + " bytes");
            }
            row.add(length < 0 ? null : new String(in.readNBytes(length), StandardCharsets.UTF_8));
        }
        return row;
    }
}
