package io.uniserve.runtime.audit;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.async.DiskErrorMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Names of the files of an audit log: {@code audit-SEQUENCE.jsonl} with the 20 digits of the first line's sequence number. */
final class AuditDirectory {
    private static final Pattern NAME = Pattern.compile("audit-([0-9]{20})\\.jsonl");

    private AuditDirectory() {}

    /** File of an audit log with the sequence number in its name. */
    record LogFile(Path path, long first) {
        String name() {
            return String.valueOf(path.getFileName());
        }
    }

    /** The file that starts with the line. */
    static LogFile file(Path directory, long first) {
        return new LogFile(directory.resolve(name(first)), first);
    }

    static String name(long first) {
        return "audit-%020d.jsonl".formatted(first);
    }

    /** The files of the log, oldest first. Other files do not count. */
    static List<LogFile> list(Path directory) throws IOException {
        List<LogFile> files = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory)) {
            entries.forEach(path -> {
                Matcher name = NAME.matcher(String.valueOf(path.getFileName()));
                // a number beyond a long sorts last, and no line has it
                if (name.matches()) {
                    files.add(new LogFile(path, parse(name.group(1))));
                }
            });
        }
        files.sort(Comparator.comparing(LogFile::name));
        return files;
    }

    private static long parse(String digits) {
        try {
            return Long.parseLong(digits);
        } catch (NumberFormatException e) {
            return Long.MAX_VALUE;
        }
    }

    /**
     * The files of an existing log, oldest first.
     *
     * @throws UniserveException INVALID_ARGUMENT if the directory has none; IO if it cannot be read
     */
    static List<LogFile> existing(Path directory) {
        try {
            List<LogFile> files = Files.isDirectory(directory) ? list(directory) : List.of();
            if (files.isEmpty()) {
                throw UniserveException.invalid(
                        directory + " has no files audit-*.jsonl; use the directory of an audit log");
            }
            return files;
        } catch (IOException e) {
            throw DiskErrorMapper.of("cannot read " + directory, e);
        }
    }
}
