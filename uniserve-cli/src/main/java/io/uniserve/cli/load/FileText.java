package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.Columns;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Values of files whose structure is of ASCII characters. Files are read byte by byte, and each value is checked by itself: so
 * it can be told which one is not UTF-8.
 */
final class FileText {
    /** A character a byte. */
    static final Charset BYTES = StandardCharsets.ISO_8859_1;

    private FileText() {}

    /** What a text of bytes is as UTF-8; empty where it is not. */
    static Optional<String> utf8(String bytes) {
        if (isAscii(bytes)) {
            return Optional.of(bytes);
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(BYTES.encode(bytes))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }

    private static boolean isAscii(String bytes) {
        for (int i = 0; i < bytes.length(); i++) {
            if (bytes.charAt(i) > 0x7f) {
                return false;
            }
        }
        return true;
    }

    /**
     * A row's values.
     *
     * @param where file and line
     */
    static List<String> values(String where, List<String> names, List<String> bytes) {
        List<String> texts = new ArrayList<>(bytes.size());
        for (String value : bytes) {
            int column = texts.size();
            texts.add(utf8(value)
                    .orElseThrow(() -> new UniserveException(
                            ErrorCode.INVALID_ROW,
                            where + ", column " + (column + 1) + " (" + names.get(column) + "): is not UTF-8")));
        }
        return texts;
    }

    /** INVALID_ROW for a row of another length than its file's: the column is the first that is missing, or too many. */
    static UniserveException otherLength(String where, List<String> names, int values) {
        int column = Math.min(values, names.size());
        return new UniserveException(
                ErrorCode.INVALID_ROW,
                where + ", column " + (column + 1) + (column < names.size() ? " (" + names.get(column) + ")" : "")
                        + ": " + values + " values for " + names.size() + " columns");
    }

    /** A row of a table with columns; INVALID_ROW with line and column. */
    static Document typed(String where, Columns columns, String keyField, List<String> names, List<String> texts) {
        for (String name : columns.primary()) {
            int column = names.indexOf(name);
            if (column >= 0 && texts.get(column).isEmpty()) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW,
                        where + ", column " + (column + 1) + " (" + name + "): is empty; it tells rows apart");
            }
        }
        try {
            return columns.ofTexts(keyField, names, texts);
        } catch (UniserveException e) {
            throw new UniserveException(e.code(), where + ", " + e.reason(), e);
        }
    }
}
