package io.uniserve.runtime.async;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** Turns failures of the file system into errors with a code. */
public final class DiskErrors {
    private DiskErrors() {}

    /** DISK_FULL where the file system has no room or quota, else IO. */
    public static UniserveException of(String what, Exception cause) {
        if (isDiskFull(cause)) {
            return new UniserveException(
                    ErrorCode.DISK_FULL, what + ": no room on the disk; free some or add more", cause);
        }
        return new UniserveException(ErrorCode.IO, what + ": " + reason(cause), cause);
    }

    /** True where the cause, or one of its causes, says that the disk is full. */
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
