package io.uniserve.runtime.store;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.disk.DurableFileOperations;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Durable store in a directory, local or mounted by all servers. An object is written to a temporary file, synced and then linked under its
 * name, so that it exists completely or not at all, with any number of concurrent writers. Its file's name ends in {@code ~}, which no part
 * of a key has, so key {@code a} and key {@code a/b} can coexist. If the directory disappears while it is open, for example with a lost
 * mount, every call fails, so that it does not seem to be an empty store.
 */
public final class LocalObjectStore implements DurableStore {
    private static final String OBJECT = "~";
    private static final String UNFINISHED = "unfinished~";

    /** Number in the names of temporary files: unique within the process, and combined with the process id across processes. */
    private static final AtomicLong NUMBER = new AtomicLong();

    private final Path root;
    private final Path unfinished;

    private LocalObjectStore(Path root) {
        this.root = root;
        this.unfinished = root.resolve(UNFINISHED);
    }

    /** Opens the directory, created if absent. Fails with INVALID_CONFIGURATION if it cannot be written. */
    public static LocalObjectStore open(Path directory) {
        LocalObjectStore store = new LocalObjectStore(directory.toAbsolutePath().normalize());
        try {
            DurableFileOperations.createDirectories(store.unfinished);
        } catch (IOException e) {
            throw unusable(directory, e.toString(), e);
        }
        if (!Files.isWritable(store.unfinished)) {
            throw unusable(directory, "it is read-only", null);
        }
        return store;
    }

    private static UniserveException unusable(
            Path directory, String why, @org.jspecify.annotations.Nullable Exception cause) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "durable store " + directory + " cannot be used: " + why + "; check path, owner, mode and mount",
                cause);
    }

    @Override
    public void put(String key, Bytes data) throws IOException {
        Path target = file(key);
        if (Files.exists(target) && isStored(target, key, data)) {
            return;
        }
        checkPresent();
        Path parent = parent(target);
        Path part = unfinished.resolve(ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
        try {
            DurableFileOperations.writeNew(part, ObjectFileFormat.encode(data));
            DurableFileOperations.createDirectories(parent);
            try {
                Files.createLink(target, part);
            } catch (FileAlreadyExistsException e) {
                if (!isStored(target, key, data)) {
                    Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            DurableFileOperations.syncDirectory(parent);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** True if the object exists; false if its file is damaged and must be written again. */
    private static boolean isStored(Path file, String key, Bytes data) throws IOException {
        Bytes present;
        try {
            present = ObjectFileFormat.read(file, key);
        } catch (NoSuchFileException e) {
            return false;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.CORRUPT) {
                return false;
            }
            throw e;
        }
        if (!present.equals(data)) {
            throw UniserveException.invalid("object " + key + " exists with other bytes; objects never change");
        }
        return true;
    }

    @Override
    public Bytes get(String key) throws IOException {
        try {
            return ObjectFileFormat.read(file(key), key);
        } catch (NoSuchFileException e) {
            checkPresent();
            throw new UniserveException(ErrorCode.IO, "object " + key + " is absent from " + root, e);
        }
    }

    @Override
    public SortedMap<String, Long> sizes(String prefix) throws IOException {
        int slash = prefix.lastIndexOf('/');
        Path from = slash < 0 ? root : root.resolve(prefix.substring(0, slash));
        if (!Files.isDirectory(from)) {
            checkPresent();
            return Collections.emptySortedMap();
        }
        SortedMap<String, Long> sizes = new TreeMap<>(); // by key: the suffix of file names would change the order
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return directory.equals(unfinished) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = root.relativize(file).toString();
                String key = name.endsWith(OBJECT) ? name.substring(0, name.length() - OBJECT.length()) : "";
                if (!key.isEmpty() && key.startsWith(prefix)) {
                    sizes.put(key, attributes.size());
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        checkPresent(); // last: files that vanished during the listing were skipped
        return sizes;
    }

    @Override
    public void delete(String key) throws IOException {
        Path file = file(key);
        if (Files.deleteIfExists(file)) {
            DurableFileOperations.syncDirectory(parent(file));
        } else {
            checkPresent();
        }
    }

    /**
     * Fails if the store has disappeared. A lost mount leaves no directory or an empty one, and a restoration would conclude that
     * nothing was ever stored. The directory of temporary files, which {@link #open} creates, shows the difference.
     */
    private void checkPresent() {
        if (!Files.isDirectory(unfinished)) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "durable store " + root + " is gone: " + unfinished
                            + " existed when it was opened and does not exist now; mount it again");
        }
    }

    @Override
    public String describe() {
        return "file:" + root;
    }

    @Override
    public void close() {
        // Nothing stays open between calls.
    }

    private Path file(String key) {
        return root.resolve(key + OBJECT);
    }

    private Path parent(Path file) {
        Path parent = file.getParent();
        return parent == null ? root : parent;
    }
}
