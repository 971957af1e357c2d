package io.uniserve.runtime.audit;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.async.DiskErrorMapper;
import io.uniserve.runtime.audit.AuditDirectory.LogFile;
import io.uniserve.runtime.audit.AuditLineReader.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** Reader of the newest lines of an audit log, which may be in use. A torn end is skipped. Not thread-safe. */
public final class AuditTail {
    private final Path directory;
    private final Predicate<AuditRecord> filter;
    private final Consumer<String> onFault;

    /** Position of {@link #poll}: sequence number in the name of the file, and the byte offset of the next line. */
    private long file;

    private long offset;

    /**
     * Reader of a directory.
     *
     * @param filter lines to return
     * @param onFault consumer of a description of each line that is not valid
     */
    public AuditTail(Path directory, Predicate<AuditRecord> filter, Consumer<String> onFault) {
        this.directory = directory;
        this.filter = filter;
        this.onFault = onFault;
    }

    /**
     * The last lines that pass the filter, oldest first. {@link #poll} continues after them.
     *
     * @param count maximum number of lines
     * @throws UniserveException INVALID_ARGUMENT if the directory has no files of a log; IO if they cannot be read
     */
    public List<AuditRecord> last(int count) {
        List<LogFile> files = AuditDirectory.existing(directory);
        Deque<AuditRecord> all = new ArrayDeque<>();
        for (int i = files.size() - 1; i >= 0 && (all.size() < count || i == files.size() - 1); i--) {
            Deque<AuditRecord> of = new ArrayDeque<>();
            long end = read(files.get(i), 0, line -> {
                of.add(line);
                if (of.size() > count) {
                    of.remove();
                }
            });
            if (i == files.size() - 1) {
                file = files.get(i).first();
                offset = end;
            }
            while (!of.isEmpty() && all.size() < count) {
                all.addFirst(of.removeLast());
            }
        }
        return List.copyOf(all);
    }

    /** The lines that were written since {@link #last} or the last call, oldest first. */
    public List<AuditRecord> poll() {
        List<AuditRecord> lines = new ArrayList<>();
        for (LogFile next : AuditDirectory.existing(directory)) {
            if (next.first() > file) {
                file = next.first();
                offset = 0;
            }
            if (next.first() == file) {
                offset = read(next, offset, lines::add);
            }
        }
        return lines;
    }

    /** Reads the whole lines of a file from an offset. Returns the offset after the last one. */
    private long read(LogFile from, long start, Consumer<AuditRecord> to) {
        long end = start;
        try {
            if (start >= Files.size(from.path())) {
                return start;
            }
            try (AuditLineReader reader = AuditLineReader.open(from.path(), start)) {
                for (Optional<Line> line = reader.next();
                        line.isPresent() && line.get().whole();
                        line = reader.next()) {
                    accept(from, line.get(), start, to);
                    end = line.get().end();
                }
            }
            return end;
        } catch (NoSuchFileException e) {
            return end; // rotation has deleted it since the directory was read
        } catch (IOException e) {
            throw DiskErrorMapper.of("cannot read " + from.path(), e);
        }
    }

    private void accept(LogFile from, Line line, long start, Consumer<AuditRecord> to) {
        try {
            AuditRecord at = AuditLineCodec.decode(line.bytes());
            if (filter.test(at)) {
                to.accept(at);
            }
        } catch (UniserveException e) {
            String place = start == 0 ? "line " + line.number() : "a line before byte " + line.end();
            onFault.accept(from.name() + ": " + place + " " + e.reason());
        }
    }
}
