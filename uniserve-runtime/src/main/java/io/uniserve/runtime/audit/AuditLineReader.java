package io.uniserve.runtime.audit;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Lines of one file of an audit log, as bytes. Only a line feed ends a line. Only one line is in memory. Not thread-safe. */
final class AuditLineReader implements AutoCloseable {
    private static final int BUFFER_BYTES = 1 << 16;

    private final InputStream in;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int position;
    private int filled;
    private long offset;

    /**
     * One line.
     *
     * @param bytes content without the line feed; of a line that is longer than permitted, only the first part
     * @param number number of the line among those of this reader, from 1
     * @param whole true if a line feed ends it; false for the rest of the file
     * @param tooLong true if the line is longer than any line of an audit log
     * @param end offset of the first byte after the line, in the file
     */
    record Line(Bytes bytes, long number, boolean whole, boolean tooLong, long end) {}

    private long number;

    private AuditLineReader(InputStream in, long offset) {
        this.in = in;
        this.offset = offset;
    }

    /** Opens a file, from a byte offset that starts a line. */
    static AuditLineReader open(Path file, long offset) throws IOException {
        InputStream in = Files.newInputStream(file);
        try {
            in.skipNBytes(offset);
            return new AuditLineReader(in, offset);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** The next line; empty at the end of the file. */
    Optional<Line> next() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        long start = offset;
        boolean tooLong = false;
        while (fill()) {
            int end = position;
            while (end < filled && buffer[end] != '\n') {
                end++;
            }
            int kept = Math.min(end - position, Limits.AUDIT_LINE_BYTES_MAX - bytes.size());
            tooLong |= kept < end - position;
            bytes.write(buffer, position, kept);
            offset += end - position;
            position = end;
            if (end < filled) {
                offset++;
                position++;
                return Optional.of(new Line(Bytes.wrap(bytes.toByteArray()), ++number, true, tooLong, offset));
            }
        }
        return offset == start
                ? Optional.empty()
                : Optional.of(new Line(Bytes.wrap(bytes.toByteArray()), ++number, false, tooLong, offset));
    }

    private boolean fill() throws IOException {
        if (position < filled) {
            return true;
        }
        position = 0;
        filled = Math.max(0, in.read(buffer, 0, BUFFER_BYTES));
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
