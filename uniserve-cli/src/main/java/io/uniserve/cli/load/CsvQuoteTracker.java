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
final class CsvQuoteTracker extends FilterReader {
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
    /** Of the longest record so far: the parser is behind. */
    private int columnsMet = 1;

    private long openLine;
    private int openColumn;
    private Optional<Place> wrong = Optional.empty();
    /** Characters of the record so far. */
    private long chars;

    CsvQuoteTracker(Reader in) {
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

    /** A record is longer than a row may be, most often by a quote that is not closed. The parser would keep the rest of the file. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean open;

        private TooLong(String problem, boolean open) {
            super(problem);
            this.open = open;
        }

        /** Whether the row is so long by a quoted value that has not ended. */
        boolean isOpen() {
            return open;
        }
    }

    /** Of what was read so far: the first value that is wrong, or one that is open. */
    Optional<Place> place() {
        return wrong.isEmpty() && at == At.QUOTED ? Optional.of(new Place(openLine, openColumn, false)) : wrong;
    }

    /** The line that was read last, from 1. */
    long line() {
        return line;
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

    private void bounded() throws TooLong {
        if (chars > Limits.ROW_TEXT_CHARS_MAX) {
            if (at == At.QUOTED) {
                wrong = wrong.or(() -> Optional.of(new Place(openLine, openColumn, false)));
            }
            throw new TooLong(
                    "the row has more than %,d characters".formatted(Limits.ROW_TEXT_CHARS_MAX), at == At.QUOTED);
        }
        if (columnsMet > Limits.CSV_COLUMNS_MAX) {
            throw new TooLong("the row has more than %,d values".formatted(Limits.CSV_COLUMNS_MAX), false);
        }
    }

    private void follow(char character) {
        boolean ends = character == '\n' || character == '\r';
        if (ends && !(character == '\n' && returned)) {
            line++;
        }
        returned = character == '\r';
        chars++;
        switch (at) {
            case START, PLAIN -> {
                if (at == At.START && character == '"') {
                    openLine = line;
                    openColumn = column;
                    at = At.QUOTED;
                } else {
                    outside(character, ends, At.PLAIN);
                }
            }
            case QUOTED -> {
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
            chars = 0;
            at = At.START;
        } else if (character == ',') {
            column++;
            columnsMet = Math.max(columnsMet, column);
            at = At.START;
        } else {
            at = within;
        }
    }
}
