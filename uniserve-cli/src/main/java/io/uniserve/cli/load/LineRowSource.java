package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.codec.BoundedLineReader;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.util.Optional;

/**
 * Base class for files of one row per line in UTF-8. Files are read as bytes and decoded by line, so that an error names the line that is
 * not UTF-8, and the next one can be read. Empty lines are skipped.
 */
abstract class LineRowSource implements RowSource {
    private final String file;
    private final BoundedLineReader lines;
    private final CountingInputStream counted;
    private long line;

    LineRowSource(String file, InputStream in, CountingInputStream counted) {
        this.file = file;
        this.counted = counted;
        this.lines = new BoundedLineReader(new InputStreamReader(in, FileTextDecoder.BYTES), Limits.ROW_TEXT_CHARS_MAX);
    }

    /** Decodes a line of bytes. Fails with INVALID_ROW if it is not UTF-8. */
    String text(String bytes) {
        return FileTextDecoder.utf8(bytes).orElseThrow(() -> invalidRow("is not UTF-8", null));
    }

    /** Returns the row of a line that is not empty; {@code number} counts from 1. */
    abstract Document row(String text, long number);

    @Override
    public Optional<Document> next() {
        try {
            for (Optional<String> bytes = lines.next(); bytes.isPresent(); bytes = lines.next()) {
                line++;
                String text = text(bytes.get());
                if (!text.isBlank()) {
                    return Optional.of(row(text, line));
                }
            }
            return Optional.empty();
        } catch (BoundedLineReader.TooLongException e) {
            line++;
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    location() + ": " + e.getMessage() + ": make the row smaller, or end each row with a line feed",
                    e);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, file + " line " + (line + 1) + " cannot be read: " + e, e);
        }
    }

    /** File and line, for messages. */
    final String location() {
        return file + " line " + line;
    }

    UniserveException invalidRow(String why, @org.jspecify.annotations.Nullable Throwable cause) {
        return new UniserveException(ErrorCode.INVALID_ROW, file + " line " + line + ": " + why, cause);
    }

    @Override
    public long line() {
        return line;
    }

    @Override
    public long bytesRead() {
        return counted.count();
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
