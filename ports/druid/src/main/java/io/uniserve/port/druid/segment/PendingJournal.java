package io.uniserve.port.druid.segment;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * File with the pending rows of an actor, for checkpoints: the same rows in the same order give the same indexes in memory. A record is a row,
 * or the start of a segment interval whose earlier rows are not pending any more.
 *
 * <p>Not thread-safe.
 */
final class PendingJournal implements Closeable {
    private static final int ROW = 1;
    private static final int DROP = 2;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final DataOutputStream out;
    private long bytes;

    /** Consumer of a journal's records. */
    interface Records {
        /** A row. */
        void row(Document row) throws IOException;

        /** The earlier rows of the segment interval that starts at this time are not pending any more. */
        void drop(long bucket) throws IOException;
    }

    PendingJournal(Path file) throws IOException {
        this.file = file;
        this.out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES));
    }

    void row(Document row) throws IOException {
        BinaryWriter writer = new BinaryWriter();
        Document.CODEC.write(writer, row);
        byte[] encoded = writer.toBytes().toArray();
        out.writeByte(ROW);
        out.writeInt(encoded.length);
        out.write(encoded);
        bytes += 5L + encoded.length;
    }

    void drop(long bucket) throws IOException {
        out.writeByte(DROP);
        out.writeLong(bucket);
        bytes += 9;
    }

    /** Writes buffered records to the file, and returns its length. */
    long flush() throws IOException {
        out.flush();
        return bytes;
    }

    Path file() {
        return file;
    }

    long bytes() {
        return bytes;
    }

    /** Copies the first {@code length} bytes of a journal. */
    static void copy(Path journal, long length, Path target) throws IOException {
        try (InputStream in = Files.newInputStream(journal);
                var to = Files.newOutputStream(target)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            long left = length;
            while (left > 0) {
                int read = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (read < 0) {
                    throw new EOFException(journal + " is shorter than " + length + " bytes");
                }
                to.write(buffer, 0, read);
                left -= read;
            }
        }
    }

    /** Reads all records of a file. */
    static void read(Path journal, Records records) throws IOException {
        long size = Files.size(journal);
        long at = 0;
        try (DataInputStream in =
                new DataInputStream(new java.io.BufferedInputStream(Files.newInputStream(journal), BUFFER_BYTES))) {
            while (at < size) {
                int kind = in.readByte();
                if (kind == ROW) {
                    int length = in.readInt();
                    if (length < 0 || length > size - at) {
                        throw new IOException("record of " + length + " bytes at byte " + at + " of " + journal);
                    }
                    byte[] encoded = new byte[length];
                    in.readFully(encoded);
                    records.row(Document.CODEC.read(new BinaryReader(Bytes.wrap(encoded))));
                    at += 5L + length;
                } else if (kind == DROP) {
                    records.drop(in.readLong());
                    at += 9;
                } else {
                    throw new IOException("record of kind " + kind + " at byte " + at + " of " + journal);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
