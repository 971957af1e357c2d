package io.uniserve.cli.load;

import io.uniserve.api.extra.ColumnSchema;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Input files of a load. Not thread-safe. */
final class LoadInputFiles implements AutoCloseable {
    static final String STDIN = "-";
    private static final String STDIN_CALLED = "standard input";

    private final List<String> names;
    private final RowSourceFactory.@Nullable Format format;
    private final InputStream stdin;
    /** Copies of files that cannot be read twice, by position among the names. */
    private final Map<Integer, Path> copies = new LinkedHashMap<>();

    /** Size and time of checked files. */
    private final Map<Integer, FileState> checkedStates = new LinkedHashMap<>();

    private long bytes;

    private record FileState(long bytes, FileTime changed) {
        static FileState of(Path file) throws IOException {
            return new FileState(Files.size(file), Files.getLastModifiedTime(file));
        }
    }

    /**
     * Checks that all files exist before the first row is read. Fails with INVALID_ARGUMENT, which names a missing one.
     *
     * @param format the format of all files; null to use their names
     */
    LoadInputFiles(List<String> names, RowSourceFactory.@Nullable Format format, InputStream stdin) {
        this.names = List.copyOf(names);
        this.format = format;
        this.stdin = stdin;
        long total = 0;
        for (String name : names) {
            if (name.equals(STDIN)) {
                continue;
            }
            Path path = Path.of(name);
            if (format == null) {
                RowSourceFactory.Format unused = RowSourceFactory.formatOf(path);
            }
            if (!Files.isReadable(path) || Files.isDirectory(path)) {
                throw UniserveException.invalid("cannot read file " + name + ": no such file, or not readable");
            }
            total += size(path);
        }
        this.bytes = names.contains(STDIN) ? 0 : total;
    }

    /** Returns the size of all files; 0 if standard input is one of them. */
    long bytes() {
        return bytes;
    }

    int count() {
        return names.size();
    }

    /** Returns the name of a file in messages. */
    String displayName(int file) {
        return names.get(file).equals(STDIN) ? STDIN_CALLED : names.get(file);
    }

    /** Copies standard input and pipes, which can be read only once, to temporary files. */
    void copyUnrepeatable() {
        for (int i = 0; i < names.size(); i++) {
            boolean standard = names.get(i).equals(STDIN);
            try {
                if (!standard && Files.isRegularFile(Path.of(names.get(i)))) {
                    checkedStates.put(i, FileState.of(Path.of(names.get(i))));
                    continue;
                }
                Path copy = Files.createTempFile("uniserve-load-", ".rows");
                copies.put(i, copy);
                copy.toFile().deleteOnExit(); // close() is not called if a signal ends the command
                if (standard) {
                    long unused = Files.copy(stdin, copy, StandardCopyOption.REPLACE_EXISTING);
                } else {
                    try (InputStream in = Files.newInputStream(Path.of(names.get(i)))) {
                        long copied = Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
                        bytes += names.contains(STDIN) ? 0 : copied;
                    }
                }
            } catch (IOException e) {
                throw new UniserveException(
                        ErrorCode.INVALID_ARGUMENT,
                        "cannot copy " + displayName(i) + " to folder " + System.getProperty("java.io.tmpdir")
                                + " to check it before the first row is loaded: " + e
                                + "; give a file, or --rejects-max to load without a check",
                        e);
            }
        }
    }

    /** Fails with INVALID_ARGUMENT if a file has changed since {@link #copyUnrepeatable}. */
    void checkUnchanged(int file) {
        FileState before = checkedStates.get(file);
        try {
            if (before != null && !before.equals(FileState.of(Path.of(names.get(file))))) {
                throw UniserveException.invalid("file " + names.get(file)
                        + " was changed after it was checked: check the loaded rows, and load it again");
            }
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_ARGUMENT, "cannot read file " + names.get(file) + ": " + e, e);
        }
    }

    /** Opens a file for a table. */
    RowSource open(int file, TableMeta table) {
        Optional<ColumnSchema> columns =
                ColumnSchema.isDefinedBy(table) ? Optional.of(ColumnSchema.of(table)) : Optional.empty();
        Path copy = copies.get(file);
        if (names.get(file).equals(STDIN)) {
            RowSourceFactory.Format known = format == null ? RowSourceFactory.Format.JSONL : format;
            InputStream in = copy == null ? stdin : stream(copy);
            return RowSourceFactory.open(in, STDIN_CALLED, known, table.keyField(), columns);
        }
        Path path = Path.of(names.get(file));
        RowSourceFactory.Format known = format != null ? format : RowSourceFactory.formatOf(path);
        return copy == null
                ? RowSourceFactory.open(path, known, table.keyField(), columns)
                : RowSourceFactory.open(stream(copy), names.get(file), known, table.keyField(), columns);
    }

    private static InputStream stream(Path copy) {
        try {
            return Files.newInputStream(copy);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot read " + copy + ": " + e, e);
        }
    }

    private static long size(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.INVALID_ARGUMENT, "cannot read file " + file + ": " + e, e);
        }
    }

    @Override
    public void close() {
        for (Path copy : copies.values()) {
            try {
                boolean unused = Files.deleteIfExists(copy);
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot delete the temporary file " + copy, e);
            }
        }
    }
}
