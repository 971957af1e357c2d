package io.uniserve.cli.load;

import io.uniserve.limit.Limits;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;
import java.util.Optional;

/**
 * Reader that follows the quotes of a CSV file to find the first one that makes it invalid. A parser reports only that there is one. Not
 * thread-safe.
 */
final class CsvQuoteTracker extends FilterReader {
    private enum State {
        START,
        PLAIN,
        QUOTED,
        /** After a quote within a quoted value: its end, or the first of two. */
        QUOTE,
        /** In white space after a quoted value. */
        BEHIND
    }

    private final char separator;
    private State state = State.START;
    private boolean lastWasCarriageReturn;
    private long line = 1;
    private int column = 1;
    /** Number of columns of the longest record so far, because the parser lags behind. */
    private int columnsMax = 1;

    private long openLine;
    private int openColumn;
    private Optional<QuotePosition> malformed = Optional.empty();
    /** Characters of the current record. */
    private long chars;

    /** Tracks comma-separated values. */
    CsvQuoteTracker(Reader in) {
        this(in, ',');
    }

    /** Tracks values with this separator. */
    CsvQuoteTracker(Reader in, char separator) {
        super(in);
        this.separator = separator;
    }

    /**
     * Start of a quoted value that does not end correctly.
     *
     * @param line from 1
     * @param column from 1: the number of the value in its record
     * @param closed true if text follows the closing quote; false if the quote is never closed
     */
    record QuotePosition(long line, int column, boolean closed) {}

    /** Record that exceeds the limit of a row, mostly by a quote that is not closed. The parser would buffer the rest of the file. */
    static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean open;

        private TooLong(String problem, boolean open) {
            super(problem);
            this.open = open;
        }

        /** True if a quoted value that has not ended makes the row too long. */
        boolean isOpen() {
            return open;
        }
    }

    /** Returns the first invalid value read so far, or the open one. */
    Optional<QuotePosition> malformedOrOpen() {
        return malformed.isEmpty() && state == State.QUOTED
                ? Optional.of(new QuotePosition(openLine, openColumn, false))
                : malformed;
    }

    /** Returns the last line that was read, from 1. */
    long line() {
        return line;
    }

    @Override
    public int read() throws IOException {
        int character = super.read();
        if (character >= 0) {
            advance((char) character);
        }
        checkLength();
        return character;
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
        int read = super.read(buffer, offset, length);
        for (int i = 0; i < read; i++) {
            advance(buffer[offset + i]);
        }
        checkLength();
        return read;
    }

    private void checkLength() throws TooLong {
        if (chars > Limits.ROW_TEXT_CHARS_MAX) {
            if (state == State.QUOTED) {
                malformed = malformed.or(() -> Optional.of(new QuotePosition(openLine, openColumn, false)));
            }
            throw new TooLong(
                    "the row has more than %,d characters".formatted(Limits.ROW_TEXT_CHARS_MAX), state == State.QUOTED);
        }
        if (columnsMax > Limits.CSV_COLUMNS_MAX) {
            throw new TooLong("the row has more than %,d values".formatted(Limits.CSV_COLUMNS_MAX), false);
        }
    }

    private void advance(char character) {
        boolean ends = character == '\n' || character == '\r';
        if (ends && !(character == '\n' && lastWasCarriageReturn)) {
            line++;
        }
        lastWasCarriageReturn = character == '\r';
        chars++;
        switch (state) {
            case START, PLAIN -> {
                if (state == State.START && character == '"') {
                    openLine = line;
                    openColumn = column;
                    state = State.QUOTED;
                } else {
                    outside(character, ends, State.PLAIN);
                }
            }
            case QUOTED -> {
                state = character == '"' ? State.QUOTE : State.QUOTED;
            }
            case QUOTE, BEHIND -> {
                if (state == State.QUOTE && character == '"') {
                    state = State.QUOTED;
                } else {
                    if (character != separator && !Character.isWhitespace(character) && malformed.isEmpty()) {
                        malformed = Optional.of(new QuotePosition(openLine, openColumn, true));
                    }
                    outside(character, ends, State.BEHIND);
                }
            }
        }
    }

    private void outside(char character, boolean ends, State within) {
        if (ends) {
            column = 1;
            chars = 0;
            state = State.START;
        } else if (character == separator) {
            column++;
            columnsMax = Math.max(columnsMax, column);
            state = State.START;
        } else {
            state = within;
        }
    }
}
