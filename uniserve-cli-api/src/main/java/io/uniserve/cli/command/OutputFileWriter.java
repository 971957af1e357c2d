package io.uniserve.cli.command;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Text files that commands write. */
public final class OutputFileWriter {
    private OutputFileWriter() {}

    /** Writes to a temporary file first, so that a failure keeps the old content. */
    public static void write(Path file, CharSequence text) {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.writeString(part, text);
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot write " + file + ": " + e, e);
        }
    }
}
