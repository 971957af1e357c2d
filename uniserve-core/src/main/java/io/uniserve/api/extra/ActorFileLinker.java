package io.uniserve.api.extra;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Helpers for {@link io.uniserve.api.Actor#writeTo} and {@link io.uniserve.api.ActorFactory#restore} in engines whose files never change
 * once written. Stateless; safe for use by several threads.
 *
 * <pre>{@code
 * public void writeTo(Path target) {
 *     IO.run("write a checkpoint", () -> ActorFiles.link(scratch, commit.getFileNames(), target));
 * }
 * }</pre>
 */
public final class ActorFileLinker {
    private ActorFileLinker() {}

    /**
     * Hard-links the named files into an existing directory. Copies files that cannot be linked, as across file systems.
     *
     * @return the target directory
     */
    public static Path link(Path from, Collection<String> names, Path to) throws IOException {
        for (String name : names) {
            try {
                Files.createLink(to.resolve(name), from.resolve(name));
            } catch (FileSystemException | UnsupportedOperationException e) {
                Files.copy(from.resolve(name), to.resolve(name));
            }
        }
        return to;
    }

    /**
     * Creates the target directory and links all files of a directory into it; see {@link #link}.
     *
     * @throws UniserveException CORRUPT if there is no file
     */
    public static Path linkAll(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.list(from)) {
            List<String> names =
                    files.map(file -> file.getFileName().toString()).toList();
            if (names.isEmpty()) {
                throw new UniserveException(ErrorCode.CORRUPT, "no file is in " + from);
            }
            return link(from, names, Files.createDirectories(to));
        }
    }

    /** Links all files and opens the result. Throws CORRUPT for any failure with the files. */
    public static <T> T openLinked(Path from, Path to, Supplier<T> open) {
        try {
            linkAll(from, to);
            return open.get();
        } catch (IOException | UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "index in " + from + " cannot be opened: " + e, e);
        }
    }

    /** Total size of the named files in bytes. */
    public static long totalBytes(Path directory, Collection<String> names) throws IOException {
        long bytes = 0;
        for (String name : names) {
            bytes += Files.size(directory.resolve(name));
        }
        return bytes;
    }

    /** Deletes a directory with its contents, if it exists. */
    public static Path delete(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> walk = Files.walk(directory)) {
                for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(path);
                }
            }
        }
        return directory;
    }
}
