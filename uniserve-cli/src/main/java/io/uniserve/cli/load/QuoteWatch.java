package io.uniserve.cli.load;

import io.uniserve.limit.Limits;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Optional;

/**
 * Follows the quotes of a CSV file as it is read, to tell where the first one stands that makes it no CSV: a parser only tells
 * that there is one. Not thread-safe.
 */
final class QuoteWatch extends FilterReader {
    private enum At {
        START,
        PLAIN,
        QUOTED,
        /** Behind a quote within a quoted value: its end, or the first of two. */
        QUOTE,
        /** In white space behind a quoted value. */
        BEHIND
    }

    private At at = At.START;
    private boolean returned;
    private long line = 1;
    private int column = 1;
    private long openLine;
    private int openColumn;
    private Optional<Place> wrong = Optional.empty();
    private long quoted;

    QuoteWatch(Reader in) {
        super(in);
    }

    /**
     * Where a quoted value begins that does not end as one.
     *
     * @param line from 1
     * @param column from 1: the number of the value in its record
     * @param closed whether something stands behind it; else it does not end
     */
    record Place(long line, int column, boolean closed) {}

    /** A quoted value is longer than a row may be: nobody closes it, and the parser would keep the rest of the file. */
    static final class NotClosed extends IOException {
        private static final long serialVersionUID = 1L;

        private NotClosed() {
            super("a quoted value has more than " + Limits.ROW_BYTES_MAX + " bytes");
        }
    }

    /** Of what was read so far: the first value that is wrong, or one that is open. */
    Optional<Place> place() {
        return wrong.isEmpty() && at == At.QUOTED ? Optional.of(new Place(openLine, openColumn, false)) : wrong;
    }

    @Override
    public int read() throws IOException {
        int character = super.read();
        if (character >= 0) {
            follow((char) character);
        }
        bounded();
        return character;
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        for (int i = 0; i < read; i++) {
            follow(buffer[offset + i]);
        }
        bounded();
        return read;
    }

    private void bounded() throws NotClosed {
        if (quoted > Limits.ROW_BYTES_MAX) {
            wrong = wrong.or(() -> Optional.of(new Place(openLine, openColumn, false)));
            throw new NotClosed();
        }
    }

    private void follow(char character) {
        boolean ends = character == '\n' || character == '\r';
        if (ends && !(character == '\n' && returned)) {
            line++;
        }
        returned = character == '\r';
        switch (at) {
            case START, PLAIN -> {
                if (at == At.START && character == '"') {
                    openLine = line;
                    openColumn = column;
                    quoted = 0;
                    at = At.QUOTED;
                } else {
                    outside(character, ends, At.PLAIN);
                }
            }
            case QUOTED -> {
                quoted++;
                at = character == '"' ? At.QUOTE : At.QUOTED;
            }
            case QUOTE, BEHIND -> {
                if (at == At.QUOTE && character == '"') {
                    at = At.QUOTED;
                } else {
                    if (character != ',' && !Character.isWhitespace(character) && wrong.isEmpty()) {
                        wrong = Optional.of(new Place(openLine, openColumn, true));
                    }
                    outside(character, ends, At.BEHIND);
                }
            }
        }
    }

    private void outside(char character, boolean ends, At within) {
        if (ends) {
            column = 1;
            at = At.START;
        } else if (character == ',') {
            column++;
            at = At.START;
        } else {
            at = within;
        }
    }
}
