package io.uniserve.runtime.audit;

import java.util.Optional;

/**
 * Result of the verification of an audit log.
 *
 * @param files number of files that were read
 * @param lines number of valid lines before the fault
 * @param first first valid line; empty if there is none
 * @param last last valid line before the fault
 * @param fault first fault; empty if there is none
 */
public record AuditReport(
        int files, long lines, Optional<AuditRecord> first, Optional<AuditRecord> last, Optional<Fault> fault) {
    /** Kind of a fault. */
    public enum FaultKind {
        /** The line differs from the one that was written, or does not continue the chain. */
        CHANGED_LINE,
        /** Lines between this one and the one before are missing. */
        MISSING_LINE,
        /** A file is missing, or the lines at the end of the file before it. */
        MISSING_FILE,
        /** The line or file is at another place. */
        WRONG_ORDER,
        /** The newest file ends without a line feed: the process died while it wrote, or it writes now. */
        TORN_END
    }

    /**
     * First place that the log cannot have by its writer.
     *
     * @param file name of the file
     * @param line number of the line in the file, from 1
     * @param detail what is wrong
     */
    public record Fault(FaultKind kind, String file, long line, String detail) {}

    /** True if no line was changed, removed, added or moved. A torn end is the trace of a crash, and permitted. */
    public boolean isIntact() {
        return fault.isEmpty() || fault.get().kind() == FaultKind.TORN_END;
    }
}
