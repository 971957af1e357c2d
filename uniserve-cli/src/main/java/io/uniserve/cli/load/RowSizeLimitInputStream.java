package io.uniserve.cli.load;

import io.uniserve.limit.Limits;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Stream that fails if one row exceeds the limit of a row. Not thread-safe. */
final class RowSizeLimitInputStream extends FilterInputStream {
    /** Bytes that parsers read ahead of the row. */
    private static final int AHEAD_BYTES = 1 << 16;

    private long count;

    RowSizeLimitInputStream(InputStream in) {
        super(in);
    }

    /** Starts the count of a new row. */
    void startRow() {
        count = 0;
    }

    /** Failure for a row that is too long. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        private TooLong() {
            super("a row has more than %,d bytes: make it smaller, or split it".formatted(Limits.ROW_TEXT_CHARS_MAX));
        }
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        addBytes(value < 0 ? 0 : 1);
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        addBytes(Math.max(0, read));
        return read;
    }

    private void addBytes(int bytes) throws TooLong {
        count += bytes;
        if (count > Limits.ROW_TEXT_CHARS_MAX + AHEAD_BYTES) {
            throw new TooLong();
        }
    }
}
