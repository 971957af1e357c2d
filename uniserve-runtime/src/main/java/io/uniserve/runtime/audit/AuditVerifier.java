package io.uniserve.runtime.audit;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.async.DiskErrorMapper;
import io.uniserve.runtime.audit.AuditDirectory.LogFile;
import io.uniserve.runtime.audit.AuditLineReader.Line;
import io.uniserve.runtime.audit.AuditReport.Fault;
import io.uniserve.runtime.audit.AuditReport.FaultKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Verification of an audit log: hash, form and sequence number of each line, the chain of hashes, and the order of the files. The first
 * line may have any sequence number, since rotation deletes the oldest files. The log may be in use.
 *
 * <p>The chain has no secret: it shows changes of a part of the log. A log that was rewritten as a whole, or that lacks its last lines,
 * is valid; compare the last hash with one that was stored elsewhere. Not thread-safe.
 */
public final class AuditVerifier {
    private int files;
    private long lines;
    private @Nullable AuditRecord first;
    private @Nullable AuditRecord last;

    private AuditVerifier() {}

    /**
     * Verifies all files of a directory, or one file.
     *
     * @throws UniserveException INVALID_ARGUMENT if there is no such file or the directory has none; IO if they cannot be read
     */
    public static AuditReport verify(Path path) {
        AuditVerifier verifier = new AuditVerifier();
        Optional<Fault> fault = Files.isRegularFile(path)
                ? verifier.file(new LogFile(path, 0), true)
                : verifier.directory(AuditDirectory.existing(path));
        return new AuditReport(
                verifier.files,
                verifier.lines,
                Optional.ofNullable(verifier.first),
                Optional.ofNullable(verifier.last),
                fault);
    }

    private Optional<Fault> directory(List<LogFile> all) {
        for (int i = 0; i < all.size(); i++) {
            LogFile file = all.get(i);
            Optional<Fault> fault = place(file);
            if (fault.isEmpty()) {
                fault = file(file, i == all.size() - 1);
            }
            if (fault.isPresent()) {
                return fault;
            }
        }
        return Optional.empty();
    }

    /** Checks the sequence number in the name of a file. */
    private Optional<Fault> place(LogFile file) {
        if (last == null || file.first() == last.sequence() + 1) {
            return Optional.empty();
        }
        long expected = last.sequence() + 1;
        if (file.first() > expected) {
            String gap = "lines " + expected + " to " + (file.first() - 1)
                    + " are missing: this file, or the end of the one before it";
            return fault(FaultKind.MISSING_FILE, AuditDirectory.name(expected), 1, gap);
        }
        return fault(FaultKind.WRONG_ORDER, file.name(), 1, "the file before it ends with line " + last.sequence());
    }

    private Optional<Fault> file(LogFile file, boolean newest) {
        try (AuditLineReader reader = AuditLineReader.open(file.path(), 0)) {
            files++;
            long before = lines;
            for (Optional<Line> line = reader.next(); line.isPresent(); line = reader.next()) {
                Optional<Fault> fault = line(file, newest, line.get());
                if (fault.isPresent()) {
                    return fault;
                }
            }
            return newest || lines > before
                    ? Optional.empty()
                    : fault(FaultKind.MISSING_LINE, file.name(), 1, "the file is empty, and a later one exists");
        } catch (NoSuchFileException e) {
            if (last == null && !newest) {
                return Optional.empty(); // rotation has deleted the oldest file since the directory was read
            }
            throw DiskErrorMapper.of("cannot read " + file.path(), e);
        } catch (IOException e) {
            throw DiskErrorMapper.of("cannot read " + file.path(), e);
        }
    }

    private Optional<Fault> line(LogFile file, boolean newest, Line line) throws IOException {
        if (!line.whole() && newest) {
            return fault(
                    FaultKind.TORN_END,
                    file.name(),
                    line.number(),
                    "the line has no line feed: a crash, or a write under way");
        }
        if (!line.whole() || line.tooLong()) {
            String problem =
                    line.whole() ? "the line is too long" : "the line has no line feed, and a later file exists";
            return fault(FaultKind.CHANGED_LINE, file.name(), line.number(), problem);
        }
        AuditRecord now;
        try {
            now = AuditLineCodec.decode(line.bytes());
        } catch (UniserveException e) {
            return fault(FaultKind.CHANGED_LINE, file.name(), line.number(), "the line " + e.reason());
        }
        Optional<Fault> fault = chain(file, line, now);
        if (fault.isEmpty()) {
            lines++;
            last = now;
            first = first == null ? now : first;
        }
        return fault;
    }

    /** Checks that the line follows the one before it. */
    private Optional<Fault> chain(LogFile file, Line line, AuditRecord now) throws IOException {
        long expected = last != null ? last.sequence() + 1 : file.first() > 0 ? file.first() : now.sequence();
        if (now.sequence() > expected) {
            boolean moved = contains(file, expected);
            String problem = "line " + expected + (moved ? " is at a later place" : " is missing") + " before line "
                    + now.sequence();
            return fault(moved ? FaultKind.WRONG_ORDER : FaultKind.MISSING_LINE, file.name(), line.number(), problem);
        }
        if (now.sequence() < expected) {
            String problem = "line " + now.sequence() + " is at the place of line " + expected;
            return fault(FaultKind.WRONG_ORDER, file.name(), line.number(), problem);
        }
        boolean start = last == null && now.sequence() != 1;
        String hash = last == null ? AuditLineCodec.NO_HASH : last.hash();
        if (!start && !now.previous().equals(hash)) {
            String problem =
                    "field previous is not the hash of the line before, " + hash + ": one of the two was replaced";
            return fault(FaultKind.CHANGED_LINE, file.name(), line.number(), problem);
        }
        return Optional.empty();
    }

    private static boolean contains(LogFile file, long sequence) throws IOException {
        try (AuditLineReader reader = AuditLineReader.open(file.path(), 0)) {
            for (Optional<Line> line = reader.next(); line.isPresent(); line = reader.next()) {
                try {
                    if (AuditLineCodec.decode(line.get().bytes()).sequence() == sequence) {
                        return true;
                    }
                } catch (UniserveException e) {
                    continue; // only the first fault is reported
                }
            }
            return false;
        }
    }

    private static Optional<Fault> fault(FaultKind kind, String file, long line, String detail) {
        return Optional.of(new Fault(kind, file, line, detail));
    }
}
