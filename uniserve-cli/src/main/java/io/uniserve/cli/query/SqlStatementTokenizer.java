package io.uniserve.cli.query;

import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntConsumer;

/**
 * Tokenizer of a UTF-8 stream into statements. Each ends at a semicolon outside of texts, quoted names and comments, or at the end of the
 * stream. A line that starts with a backslash outside a statement is a statement by itself. Not thread-safe.
 */
final class SqlStatementTokenizer {
    private static final int END = -1;
    private static final int NOT_READ = END - 1;
    private static final int BYTES_MIN = 1 << 10;
    private static final int CHAR_BYTES_MAX = 3;
    private static final String BYTE_ORDER_MARK = "\ufeff";

    private final InputStream in;
    private final int charsMax;
    private final int bytesMax;
    private final IntConsumer lines;
    private byte[] text = new byte[BYTES_MIN];
    private int size;
    private int peeked = NOT_READ;
    private int line = 1;
    private boolean statementStarted;
    private boolean first = true;

    /**
     * Reads statements of this stream.
     *
     * @param charsMax maximum characters per statement
     * @param lines gets the number of the next line within its statement, from 1; for a prompt
     */
    SqlStatementTokenizer(InputStream in, int charsMax, IntConsumer lines) {
        this.in = in;
        this.charsMax = charsMax;
        this.bytesMax = charsMax * CHAR_BYTES_MAX;
        this.lines = lines;
    }

    /**
     * Returns the next statement without its semicolon, stripped; empty at the end. Statements that only have comments are skipped. One
     * that is too long or not UTF-8 fails with INVALID_ARGUMENT, and the next call continues after it.
     */
    Optional<String> next() throws IOException {
        while (true) {
            size = 0;
            line = 1;
            statementStarted = false;
            boolean more = read();
            if (size > bytesMax) {
                throw tooLong();
            }
            if (statementStarted) {
                String statement = decode();
                if (!statement.isEmpty()) {
                    return Optional.of(statement);
                }
            }
            if (!more) {
                return Optional.empty();
            }
        }
    }

    private String decode() {
        String statement;
        try {
            statement = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text, 0, size))
                    .toString();
        } catch (CharacterCodingException e) {
            throw UniserveException.invalid("a statement on standard input is not UTF-8: convert it, as with iconv");
        }
        if (first && statement.startsWith(BYTE_ORDER_MARK)) {
            statement = statement.substring(1);
        }
        first = false;
        if (statement.length() > charsMax) {
            throw tooLong();
        }
        return statement.strip();
    }

    private UniserveException tooLong() {
        return UniserveException.invalid("a statement on standard input has more than " + charsMax
                + " characters: shorten it, or end statements with a semicolon");
    }

    /** Reads a statement; false at the end of the stream. */
    private boolean read() throws IOException {
        lines.accept(line);
        for (int c = readByte(); c != END; c = readByte()) {
            if (c == ';') {
                return true;
            }
            if (c == '\\' && !statementStarted) {
                statementStarted = true;
                size = 0;
                add(c);
                lineEnd();
                return true;
            }
            add(c);
            if ((c == '-' || c == '/') && peek() == c) {
                lineEnd();
            } else if (c == '/' && peek() == '*') {
                add(readByte());
                comment();
            } else if (c == '\'' || c == '"') {
                statementStarted = true;
                readQuoted(c);
            } else if (c == '\n') {
                line += statementStarted ? 1 : 0;
                lines.accept(line);
            } else {
                statementStarted |= c > ' ';
            }
        }
        return false;
    }

    /** Reads to the end of the line. A carriage return ends it for SQL's parser too. */
    private void lineEnd() throws IOException {
        for (int c = readByte(); c != END; c = readByte()) {
            add(c);
            if (c == '\n' || c == '\r') {
                line += c == '\n' ? 1 : 0;
                return;
            }
        }
    }

    /** Reads to this quote, inclusive. Two quotes in sequence are read as two adjacent texts. */
    private void readQuoted(int quote) throws IOException {
        for (int c = readByte(); c != END; c = readByte()) {
            add(c);
            if (c == '\n') {
                lines.accept(++line);
            }
            if (c == quote) {
                return;
            }
        }
    }

    private void comment() throws IOException {
        for (int c = readByte(); c != END; c = readByte()) {
            add(c);
            if (c == '*' && peek() == '/') {
                add(readByte());
                return;
            }
        }
    }

    /** Adds a character. Above the limit the statement is read on without being stored. */
    private void add(int c) {
        if (size > bytesMax) {
            return;
        }
        if (size == text.length) {
            text = Arrays.copyOf(text, Math.min(2 * size, bytesMax + 1));
        }
        text[size++] = (byte) c;
    }

    private int readByte() throws IOException {
        int c = peek();
        peeked = NOT_READ;
        return c;
    }

    private int peek() throws IOException {
        if (peeked == NOT_READ) {
            peeked = in.read();
        }
        return peeked;
    }
}
