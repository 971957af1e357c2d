package io.uniserve.codec;

import java.io.IOException;
import java.io.Reader;
import java.util.Optional;

/**
 * Lines of a reader, each of bounded length. A line feed, a carriage return, both, or the end of input ends a line. Only one line is in
 * memory. Not thread-safe.
 */
public final class BoundedLineReader implements AutoCloseable {
    private static final int BUFFER_CHARS = 1 << 13;

    private final Reader in;
    private final int charsMax;
    private final StringBuilder line = new StringBuilder();
    private final char[] buffer = new char[BUFFER_CHARS];
    private int position;
    private int filled;
    private boolean lastWasCarriageReturn;

    /**
     * Lines of a reader. {@link #close} closes the reader too.
     *
     * @param charsMax maximum number of characters of a line, without those that end it
     */
    public BoundedLineReader(Reader in, int charsMax) {
        this.in = in;
        this.charsMax = charsMax;
    }

    /** Error for a line that is too long. The next one can be read. */
    public static final class TooLongException extends IOException {
        private static final long serialVersionUID = 1L;

        private TooLongException(int charsMax) {
            super("the line has more than %,d characters".formatted(charsMax));
        }
    }

    /**
     * The next line without its end; empty at the end of input.
     *
     * @throws TooLongException for a line that is too long, which is skipped
     */
    public Optional<String> next() throws IOException {
        line.setLength(0);
        boolean any = false;
        boolean tooLong = false;
        boolean ended = false;
        while (!ended && fill()) {
            if (lastWasCarriageReturn && buffer[position] == '\n') {
                lastWasCarriageReturn = false;
                position++;
                continue;
            }
            lastWasCarriageReturn = false;
            any = true;
            int end = position;
            while (end < filled && buffer[end] != '\n' && buffer[end] != '\r') {
                end++;
            }
            tooLong |= line.length() + (end - position) > charsMax;
            if (tooLong) {
                line.setLength(0);
            } else {
                line.append(buffer, position, end - position);
            }
            ended = end < filled;
            lastWasCarriageReturn = ended && buffer[end] == '\r';
            position = ended ? end + 1 : end;
        }
        if (tooLong) {
            throw new TooLongException(charsMax);
        }
        return any ? Optional.of(line.toString()) : Optional.empty();
    }

    /** Fills the buffer if it is empty; false at the end of input. */
    private boolean fill() throws IOException {
        if (position < filled) {
            return true;
        }
        position = 0;
        filled = Math.max(0, in.read(buffer, 0, BUFFER_CHARS));
        return filled > 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
