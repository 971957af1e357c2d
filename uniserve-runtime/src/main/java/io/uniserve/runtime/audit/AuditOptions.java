package io.uniserve.runtime.audit;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.nio.file.Path;

/**
 * Options of an audit log.
 *
 * @param directory directory of the files; created if it is absent; one log at a time
 * @param process id of the server or coordinator, for each line
 * @param fileBytes size at which a new file starts
 * @param filesMax maximum number of files; the oldest is deleted
 * @param sync true to sync each line to disk before it counts as written; lines that wait at the same time share one sync
 * @param onFailure rule for a full disk and for errors of the disk
 */
public record AuditOptions(
        Path directory, String process, long fileBytes, int filesMax, boolean sync, FailurePolicy onFailure) {
    /** Rule for events that cannot be written. */
    public enum FailurePolicy {
        /** The append fails. The caller must then refuse the change. */
        REFUSE_CHANGES,
        /** The append succeeds, and the event counts as lost. */
        CONTINUE_AND_COUNT
    }

    public AuditOptions {
        if (process.isBlank()) {
            throw refused("process", "is empty; use the id of the server or coordinator");
        }
        process = AuditEvent.bounded(process);
        if (fileBytes < Limits.AUDIT_LINE_BYTES_MAX || fileBytes > Limits.AUDIT_FILE_BYTES_MAX) {
            throw refused(
                    "file size",
                    "is " + fileBytes + " bytes; use " + Limits.AUDIT_LINE_BYTES_MAX + " to "
                            + Limits.AUDIT_FILE_BYTES_MAX);
        }
        if (filesMax < 2 || filesMax > Limits.AUDIT_FILES_MAX) {
            throw refused("number of files", "is " + filesMax + "; use 2 to " + Limits.AUDIT_FILES_MAX);
        }
    }

    /** Options with the defaults: 16 files of 64 MiB, synced, changes are refused on failure. */
    public static AuditOptions of(Path directory, String process) {
        return new AuditOptions(
                directory,
                process,
                Limits.AUDIT_FILE_BYTES_DEFAULT,
                Limits.AUDIT_FILES_DEFAULT,
                true,
                FailurePolicy.REFUSE_CHANGES);
    }

    private static UniserveException refused(String field, String problem) {
        return new UniserveException(ErrorCode.INVALID_CONFIGURATION, "audit log: " + field + " " + problem);
    }
}
