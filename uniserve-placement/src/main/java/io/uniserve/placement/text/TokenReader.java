package io.uniserve.placement.text;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import org.jspecify.annotations.Nullable;

/** Words of a text file, separated by white space, with line numbers. Not thread-safe. */
final class TokenReader {
    private static final int WORD_MAX = 64;

    private final Reader in;
    private final String file;
    private final StringBuilder word = new StringBuilder();
    private int line = 1;
    private int next = ' ';

    TokenReader(Reader in, String file) {
        this.in = in;
        this.file = file;
    }

    /** Reads a whole number from least to most; {@code what} is its name in errors. */
    int integer(String what, int least, int most) {
        String text = word(what);
        try {
            int value = Integer.parseInt(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw malformed(what + " is '" + PrintableText.line(text) + "': use a whole number", e);
        }
        throw malformed(what + " is " + text + ": use " + least + " to " + most, null);
    }

    /** Reads a finite number of 0 or more. */
    double amount(String what) {
        String text = word(what);
        try {
            double value = Double.parseDouble(text);
            if (value >= 0 && value <= Double.MAX_VALUE) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw malformed(what + " is '" + PrintableText.line(text) + "': use a number", e);
        }
        throw malformed(what + " is " + text + ": use a finite number of 0 or more", null);
    }

    /** Fails unless the end of the file is reached. */
    void end() {
        skipSpace();
        if (next >= 0) {
            throw malformed("there is text after the last round: remove it, or raise the number of rounds", null);
        }
    }

    UniserveException malformed(String what, @Nullable Exception cause) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, file + ", line " + line + ": " + what, cause);
    }

    UniserveException malformed(String what) {
        return new UniserveException(ErrorCode.INVALID_ARGUMENT, file + ", line " + line + ": " + what);
    }

    private String word(String what) {
        skipSpace();
        if (next < 0) {
            throw malformed("the file ends before " + what + " is given");
        }
        word.setLength(0);
        while (next > ' ') {
            if (word.length() > WORD_MAX) {
                throw malformed(what + " is longer than " + WORD_MAX + " characters");
            }
            word.append((char) next);
            next = read();
        }
        return word.toString();
    }

    private void skipSpace() {
        while (next >= 0 && next <= ' ') {
            line += next == '\n' ? 1 : 0;
            next = read();
        }
    }

    private int read() {
        try {
            return in.read();
        } catch (CharacterCodingException e) {
            throw malformed("or shortly after it: bytes that are not UTF-8", e);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + file + ": " + e, e);
        }
    }
}
