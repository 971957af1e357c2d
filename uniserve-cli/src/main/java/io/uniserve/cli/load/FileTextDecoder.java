package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Values of files with an ASCII structure. Files are read as bytes, and each value is decoded by itself, so that an error can name the
 * value that is not UTF-8.
 */
final class FileTextDecoder {
    /** One character per byte. */
    static final Charset BYTES = StandardCharsets.ISO_8859_1;

    private FileTextDecoder() {}

    /** Decodes a text of bytes as UTF-8; empty if it is invalid. */
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
     * Returns the values of a row.
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

    /**
     * Returns INVALID_ROW for a row with another number of values than columns. It names the first missing column, or the first extra one.
     */
    static UniserveException wrongLength(String where, List<String> names, int values) {
        int column = Math.min(values, names.size());
        return new UniserveException(
                ErrorCode.INVALID_ROW,
                where + ", column " + (column + 1) + (column < names.size() ? " (" + names.get(column) + ")" : "")
                        + ": " + values + " values for " + names.size() + " columns");
    }

    /** Returns a row of a table with columns. Fails with INVALID_ROW, with line and column. */
    static Document typedRow(
            String where, ColumnSchema columns, String keyField, List<String> names, List<String> texts) {
        for (String name : columns.primaryKey()) {
            int column = names.indexOf(name);
            if (column >= 0 && texts.get(column).isEmpty()) {
                throw new UniserveException(
                        ErrorCode.INVALID_ROW,
                        where + ", column " + (column + 1) + " (" + name
                                + "): is empty; it is part of the primary key");
            }
        }
        try {
            return columns.parseRow(keyField, names, texts);
        } catch (UniserveException e) {
            throw new UniserveException(e.code(), where + ", " + e.reason(), e);
        }
    }
}
