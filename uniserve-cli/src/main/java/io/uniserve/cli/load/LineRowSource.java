package io.uniserve.cli.load;

import io.uniserve.api.Document;
import io.uniserve.codec.BoundedLineReader;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Base class for files of one row per line in UTF-8, which is checked. Empty lines are skipped. */
abstract class LineRowSource implements RowSource {
    private final String file;
    private final BoundedLineReader lines;
    private final CountingInputStream counted;
    private long line;

    LineRowSource(String file, InputStream in, CountingInputStream counted) {
        this(file, in, counted, StandardCharsets.UTF_8);
    }

    LineRowSource(String file, InputStream in, CountingInputStream counted, Charset charset) {
        this.file = file;
        this.counted = counted;
        this.lines = new BoundedLineReader(
                new InputStreamReader(
                        in,
                        charset.newDecoder()
                                .onMalformedInput(CodingErrorAction.REPORT)
                                .onUnmappableCharacter(CodingErrorAction.REPORT)),
                Limits.ROW_TEXT_CHARS_MAX);
    }

    /** Returns the row of a line that is not empty; {@code number} counts from 1. */
    abstract Document row(String text, long number);

    @Override
    public Optional<Document> next() {
        try {
            for (Optional<String> text = lines.next(); text.isPresent(); text = lines.next()) {
                line++;
                if (!text.get().isBlank()) {
                    return Optional.of(row(text.get(), line));
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
                    ErrorCode.INVALID_ARGUMENT,
                    file + " line " + (line + 1) + " cannot be read: " + e + "; files must be UTF-8",
                    e);
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
