package io.uniserve.runtime.config;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.audit.AuditOptions.FailurePolicy;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Settings of the section {@code security.audit}.
 *
 * @param directory directory of the audit log of this kind of process; empty for no audit log
 * @param fileBytes size at which a new file starts
 * @param filesMax maximum number of files
 * @param onFailure rule for a full disk and for errors of the disk
 */
public record AuditSettings(Optional<Path> directory, long fileBytes, int filesMax, FailurePolicy onFailure) {
    static AuditSettings of(ConfigSection root, ListenerKind kind) {
        ConfigSection audit = root.section("security").section("audit");
        String folder = kind.name().toLowerCase(Locale.ROOT);
        return new AuditSettings(
                audit.optionalFile("directory").map(parent -> parent.resolve(folder)),
                audit.bytes("file-size", Limits.AUDIT_LINE_BYTES_MAX, Limits.AUDIT_FILE_BYTES_MAX),
                audit.number("files", 2, Limits.AUDIT_FILES_MAX),
                policy(audit.textNotEmpty("on-failure")));
    }

    private static FailurePolicy policy(String text) {
        return switch (text) {
            case "refuse-changes" -> FailurePolicy.REFUSE_CHANGES;
            case "continue" -> FailurePolicy.CONTINUE_AND_COUNT;
            default ->
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        "uniserve.security.audit.on-failure is \"" + text + "\": use refuse-changes or continue");
        };
    }
}
