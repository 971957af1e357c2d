package io.uniserve.runtime.async;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** Mapping from failures of the file system to errors with a code. */
public final class DiskErrorMapper {
    private DiskErrorMapper() {}

    /** Returns DISK_FULL if the file system has no space or quota left, else IO. */
    public static UniserveException of(String what, Exception cause) {
        if (isDiskFull(cause)) {
            return new UniserveException(ErrorCode.DISK_FULL, what + ": the disk is full; free or add space", cause);
        }
        return new UniserveException(ErrorCode.IO, what + ": " + reason(cause), cause);
    }

    /** True if the exception or one of its causes reports a full disk. */
    public static boolean isDiskFull(@Nullable Throwable cause) {
        Throwable at = cause;
        for (int depth = 0; at != null && depth < 16; depth++) {
            String message = at.getMessage();
            if (message != null
                    && (message.contains("No space left on device") || message.contains("Disk quota exceeded"))) {
                return true;
            }
            at = at.getCause();
        }
        return false;
    }

    private static String reason(Exception cause) {
        if (cause instanceof FileSystemException file) {
            return file.getClass().getSimpleName() + (file.getReason() == null ? "" : " (" + file.getReason() + ")");
        }
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }
}
