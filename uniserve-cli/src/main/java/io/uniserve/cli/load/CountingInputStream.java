package io.uniserve.cli.load;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Stream that counts the bytes that are read. */
final class CountingInputStream extends FilterInputStream {
    private long count;

    CountingInputStream(InputStream in) {
        super(in);
    }

    long count() {
        return count;
    }

    @Override
    public int read() throws IOException {
        int value = super.read();
        count += value < 0 ? 0 : 1;
        return value;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        count += Math.max(0, read);
        return read;
    }
}
