package io.uniserve.cli.query;

import java.io.IOException;
import java.io.Reader;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Statements of a stream, each up to a semicolon that is in no text, no quoted name and no comment, or to the end. A line that
 * begins with a backslash where no statement has begun is one by itself. Not thread-safe.
 */
final class SqlStatements {
    private static final int END = -1;

    private final Reader in;
    private final int charsMax;
    private final IntConsumer lines;
    private final StringBuilder text = new StringBuilder();
    private int ahead = END - 1;
    private int line = 1;
    private boolean begun;

    /**
     * Of this stream.
     *
     * @param charsMax that a statement may have
     * @param lines is told of the line of a statement that follows, 1 for its first; for a prompt
     */
    SqlStatements(Reader in, int charsMax, IntConsumer lines) {
        this.in = in;
        this.charsMax = charsMax;
        this.lines = lines;
    }

    /** A statement was longer than may be; what follows it can be read. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(int charsMax) {
            super("the statement has more than " + charsMax + " characters");
        }
    }

    /** The next statement without its semicolon, stripped; empty at the end. Those of nothing but comments are passed over. */
    Optional<String> next() throws IOException {
        while (true) {
            text.setLength(0);
            line = 1;
            begun = false;
            boolean more = read();
            if (text.length() > charsMax) {
                throw new TooLong(charsMax);
            }
            if (begun) {
                return Optional.of(text.toString().strip());
            }
            if (!more) {
                return Optional.empty();
            }
        }
    }

    /** Reads a statement; false at the end of all. */
    private boolean read() throws IOException {
        lines.accept(line);
        for (int c = take(); c != END; c = take()) {
            if (c == ';') {
                return true;
            }
            if (c == '\\' && !begun) {
                begun = true;
                text.setLength(0);
                add(c);
                rest('\n');
                return true;
            }
            add(c);
            if (c == '-' && peek() == '-') {
                rest('\n');
            } else if (c == '/' && peek() == '*') {
                add(take());
                comment();
            } else if (c == '\'' || c == '"') {
                begun = true;
                rest(c);
            } else if (c == '\n') {
                line += begun ? 1 : 0;
                lines.accept(line);
            } else {
                begun |= !Character.isWhitespace(c);
            }
        }
        return false;
    }

    /** Up to this character, and with it. */
    private void rest(int end) throws IOException {
        for (int c = take(); c != END; c = take()) {
            add(c);
            if (c == '\n') {
                line++;
                if (c != end) {
                    lines.accept(line);
                }
            }
            if (c == end) {
                return;
            }
        }
    }

    private void comment() throws IOException {
        for (int c = take(); c != END; c = take()) {
            add(c);
            if (c == '*' && peek() == '/') {
                add(take());
                return;
            }
        }
    }

    /** What is too long is read on, and not kept. */
    private void add(int c) {
        if (text.length() <= charsMax) {
            text.append((char) c);
        }
    }

    private int take() throws IOException {
        int c = peek();
        ahead = END - 1;
        return c;
    }

    private int peek() throws IOException {
        if (ahead < END) {
            ahead = in.read();
        }
        return ahead;
    }
}
