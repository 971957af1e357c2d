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

/** Files of {@link Actor#writeTo} and {@link ActorFactory#restore}, for engines that never change a file once written. */
public final class ActorFiles {
    private ActorFiles() {}

    /**
     * Links the named files into an existing directory; copies those that cannot be linked, as across file systems.
     *
     * @return the directory
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

    /** As {@link #link}, for all files of a directory; makes the target. CORRUPT where there is no file. */
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

    /** As {@link #linkAll}, then opens what was linked. Whatever is wrong with the files is CORRUPT. */
    public static <T> T restored(Path from, Path to, Supplier<T> open) {
        try {
            linkAll(from, to);
            return open.get();
        } catch (IOException | UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "index in " + from + " cannot be opened: " + e, e);
        }
    }

    /** The bytes of the named files together. */
    public static long bytes(Path directory, Collection<String> names) throws IOException {
        long bytes = 0;
        for (String name : names) {
            bytes += Files.size(directory.resolve(name));
        }
        return bytes;
    }

    /** Deletes a directory and what is in it, if it is there. */
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
