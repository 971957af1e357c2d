package io.uniserve.runtime.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/** File operations whose results survive a power failure. */
public final class DurableFileOperations {
    private static final int PIECE_BYTES = 256 << 10;

    private DurableFileOperations() {}

    /** Syncs the names in a directory. */
    public static void syncDirectory(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    /** Syncs the bytes of a file. */
    public static void syncFile(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Creates the directory and its missing parents, and syncs each. */
    public static void createDirectories(Path directory) throws IOException {
        Deque<Path> missing = new ArrayDeque<>();
        Path at = directory;
        while (at != null && !Files.isDirectory(at)) {
            missing.push(at);
            at = at.getParent();
        }
        for (Path next : missing) {
            Files.createDirectories(next);
            Path parent = next.getParent();
            if (parent != null) {
                syncDirectory(parent);
            }
        }
    }

    /** Writes the whole buffer. */
    public static void writeFully(FileChannel channel, ByteBuffer buffer) throws IOException {
        int end = buffer.limit();
        while (buffer.position() < end) {
            // each thread keeps off-heap memory for the largest piece that it has written
            buffer.limit(Math.min(end, buffer.position() + PIECE_BYTES));
            channel.write(buffer);
        }
    }

    /** Writes a new file and syncs its bytes, but not its name. Deletes the file on failure. */
    public static void writeNew(Path file, List<ByteBuffer> parts) throws IOException {
        boolean written = false;
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            for (ByteBuffer part : parts) {
                writeFully(channel, part);
            }
            channel.force(true);
            written = true;
        } finally {
            if (!written) {
                Files.deleteIfExists(file);
            }
        }
    }

    /** Deletes a file, or a directory with everything below it; does nothing if it is absent. Never follows links. */
    public static void deleteTree(Path path) throws IOException {
        if (Files.isDirectory(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            List<Path> children;
            try (Stream<Path> entries = Files.list(path)) {
                children = entries.toList();
            } catch (NoSuchFileException e) {
                children = List.of();
            }
            for (Path child : children) {
                deleteTree(child);
            }
        }
        Files.deleteIfExists(path);
    }
}
