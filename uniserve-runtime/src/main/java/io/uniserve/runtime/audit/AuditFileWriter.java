package io.uniserve.runtime.audit;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.audit.AuditDirectory.LogFile;
import io.uniserve.runtime.audit.AuditFileSystem.OpenFile;
import io.uniserve.runtime.audit.AuditLineReader.Line;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of the files of an audit log: continues the chain, rotates the files, and repairs the end of the newest file after an error.
 * Lines are staged, then committed together. A failed commit writes none of them: the next one first cuts the file off after the last
 * committed line. Not thread-safe.
 */
final class AuditFileWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AuditFileWriter.class);

    private final AuditOptions options;
    private final AuditFileSystem system;
    private final ByteArrayOutputStream staged = new ByteArrayOutputStream();
    private final long tornBytes;

    private @Nullable LogFile file;
    private @Nullable OpenFile open;
    private long size;
    private long sequence;
    private String hash = AuditLineCodec.NO_HASH;
    private long stagedSequence;
    private String stagedHash = hash;

    /**
     * Reads the end of an existing log.
     *
     * @throws UniserveException CORRUPT if no line can follow the last one
     */
    AuditFileWriter(AuditOptions options, AuditFileSystem system) throws IOException {
        this.options = options;
        this.system = system;
        List<LogFile> files = AuditDirectory.list(options.directory());
        long torn = 0;
        if (!files.isEmpty()) {
            LogFile newest = files.get(files.size() - 1);
            End end = end(newest);
            torn = end.torn();
            file = newest;
            size = end.size();
            if (end.last().isPresent()) {
                continueAfter(newest, end.last().get());
            } else {
                continueBefore(newest, files);
            }
        }
        tornBytes = torn;
        discard();
    }

    /**
     * End of a file.
     *
     * @param last last whole line
     * @param size offset of the first byte after it
     * @param torn number of bytes from there
     */
    private record End(Optional<Line> last, long size, long torn) {}

    private static End end(LogFile file) throws IOException {
        Optional<Line> last = Optional.empty();
        long size = 0;
        try (AuditLineReader lines = AuditLineReader.open(file.path(), 0)) {
            for (Optional<Line> line = lines.next(); line.isPresent(); line = lines.next()) {
                if (!line.get().whole()) {
                    return new End(last, size, line.get().end() - size);
                }
                last = line;
                size = line.get().end();
            }
        }
        return new End(last, size, 0);
    }

    private void continueAfter(LogFile of, Line line) {
        try {
            AuditRecord last = AuditLineCodec.decode(line.bytes());
            sequence = last.sequence();
            hash = last.hash();
        } catch (UniserveException e) {
            throw corrupt(of, "line " + line.number() + " " + e.reason());
        }
    }

    /** Continues in a file without lines: the process died between its creation and its first line. */
    private void continueBefore(LogFile empty, List<LogFile> files) throws IOException {
        if (files.size() > 1) {
            LogFile before = files.get(files.size() - 2);
            End end = end(before);
            if (end.last().isEmpty() || end.torn() > 0) {
                throw corrupt(before, "it does not end with a whole line");
            }
            continueAfter(before, end.last().get());
        }
        if (empty.first() != sequence + 1) {
            throw corrupt(empty, "it is empty, and the file before it does not end with line " + (empty.first() - 1));
        }
    }

    private UniserveException corrupt(LogFile of, String problem) {
        return new UniserveException(
                ErrorCode.CORRUPT,
                "audit log " + options.directory() + " cannot be continued: " + of.name() + ": " + problem
                        + "; run uniserve audit verify, keep the files as evidence, and start with an empty directory");
    }

    /** Bytes of a torn line at the end of the log when it was opened. They are cut off with the first commit. */
    long tornBytes() {
        return tornBytes;
    }

    /** Sequence number of the last committed line. */
    long sequence() {
        return sequence;
    }

    /** Stages a line. Returns false, and stages nothing, if the file has no room for it: commit, rotate, and stage it again. */
    boolean stage(Instant time, AuditEvent event) {
        AuditLineCodec.Encoded line =
                AuditLineCodec.encode(stagedSequence + 1, time, options.process(), event, stagedHash);
        long before = size + staged.size();
        if (before > 0 && before + line.line().size() > options.fileBytes()) {
            return false;
        }
        line.line().view((array, offset, length) -> {
            staged.write(array, offset, length);
            return length;
        });
        stagedSequence++;
        stagedHash = line.hash();
        return true;
    }

    /** Drops the staged lines. */
    void discard() {
        staged.reset();
        stagedSequence = sequence;
        stagedHash = hash;
    }

    /** Writes the staged lines: all of them, or none if it throws. */
    void commit() throws IOException {
        if (staged.size() == 0) {
            return;
        }
        if (file == null) {
            rotate();
        }
        OpenFile target = open();
        boolean written = false;
        try {
            target.append(ByteBuffer.wrap(staged.toByteArray()));
            if (options.sync()) {
                target.sync();
            }
            written = true;
        } finally {
            if (!written) {
                drop();
            }
        }
        size += staged.size();
        sequence = stagedSequence;
        hash = stagedHash;
        staged.reset();
    }

    /** The newest file, without bytes after the last committed line. */
    private OpenFile open() throws IOException {
        LogFile newest = Objects.requireNonNull(file, "no file yet");
        OpenFile target = open == null ? system.open(newest.path(), size, options.sync()) : open;
        open = target;
        return target;
    }

    /** Starts a new file after the last committed line, and deletes the oldest files. */
    void rotate() throws IOException {
        if (file != null) {
            open().sync();
            drop();
        }
        prune();
        LogFile next = AuditDirectory.file(options.directory(), sequence + 1);
        open = system.open(next.path(), 0, options.sync());
        file = next;
        size = 0;
    }

    /** Deletes the oldest files, so that one more is permitted. The newest file with lines stays. */
    private void prune() throws IOException {
        long newest = file == null ? 0 : file.first();
        List<LogFile> older = AuditDirectory.list(options.directory()).stream()
                .filter(old -> old.first() < newest)
                .toList();
        for (LogFile old : older.subList(0, Math.max(0, older.size() + 2 - options.filesMax()))) {
            try {
                system.delete(old.path());
            } catch (IOException e) {
                LOG.warn("audit log {}: deletion of {} failed: {}", options.directory(), old.name(), e.toString());
                return;
            }
        }
    }

    /** Closes the file after an error or a rotation. The next commit opens the file again. */
    private void drop() {
        OpenFile closed = open;
        open = null;
        if (closed != null) {
            try {
                closed.close();
            } catch (IOException e) {
                LOG.debug("closing a file of the audit log failed", e);
            }
        }
    }

    /** Syncs and closes the file. Staged lines are dropped. */
    @Override
    public void close() throws IOException {
        try {
            if (open != null) {
                open.sync();
            }
        } finally {
            drop();
        }
    }
}
