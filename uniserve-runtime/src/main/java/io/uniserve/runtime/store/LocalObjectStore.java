package io.uniserve.runtime.store;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.disk.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Objects in a directory, local or mounted by all servers. An object is written aside, fsynced and then linked under its
 * name, so that it is there as a whole or not at all, whoever else writes. Its file's name ends in {@code ~}, which no part
 * of a key does: key {@code a} and key {@code a/b} live side by side. A directory that is lost while it is open, as a mount may be,
 * is an error of every call, and never an empty store.
 */
public final class LocalObjectStore implements DurableStore {
    private static final String OBJECT = "~";
    private static final String UNFINISHED = "unfinished~";

    /** Names of unfinished files differ within the process by number, over processes by its id. */
    private static final AtomicLong NUMBER = new AtomicLong();

    private final Path root;
    private final Path unfinished;

    private LocalObjectStore(Path root) {
        this.root = root;
        this.unfinished = root.resolve(UNFINISHED);
    }

    /** Opens the directory, made if absent; INVALID_CONFIGURATION where it cannot be written. */
    public static LocalObjectStore open(Path directory) {
        LocalObjectStore store = new LocalObjectStore(directory.toAbsolutePath().normalize());
        try {
            DurableFiles.createDirectories(store.unfinished);
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
        if (Files.exists(target) && same(target, key, data)) {
            return;
        }
        mustBeThere();
        Path parent = parent(target);
        Path part = unfinished.resolve(ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
        try {
            DurableFiles.writeNew(part, ObjectFile.encode(data));
            DurableFiles.createDirectories(parent);
            try {
                Files.createLink(target, part);
            } catch (FileAlreadyExistsException e) {
                if (!same(target, key, data)) {
                    Files.move(part, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            DurableFiles.syncDirectory(parent);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** True where the object is there already, false where its file is damaged and must be written anew. */
    private static boolean same(Path file, String key, Bytes data) throws IOException {
        Bytes present;
        try {
            present = ObjectFile.read(file, key);
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
            return ObjectFile.read(file(key), key);
        } catch (NoSuchFileException e) {
            mustBeThere();
            throw new UniserveException(ErrorCode.IO, "object " + key + " is absent from " + root, e);
        }
    }

    @Override
    public List<String> list(String prefix) throws IOException {
        int slash = prefix.lastIndexOf('/');
        Path from = slash < 0 ? root : root.resolve(prefix.substring(0, slash));
        if (!Files.isDirectory(from)) {
            mustBeThere();
            return List.of();
        }
        List<String> keys = new ArrayList<>();
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                return directory.equals(unfinished) ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = root.relativize(file).toString();
                if (name.endsWith(OBJECT) && name.startsWith(prefix)) {
                    keys.add(name.substring(0, name.length() - OBJECT.length()));
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
        mustBeThere(); // last: what vanished while it was listed was passed over
        // Sorted by key: the mark at the end of file names would change the order.
        return keys.stream().filter(key -> key.startsWith(prefix)).sorted().toList();
    }

    @Override
    public void delete(String key) throws IOException {
        Path file = file(key);
        if (Files.deleteIfExists(file)) {
            DurableFiles.syncDirectory(parent(file));
        } else {
            mustBeThere();
        }
    }

    /**
     * A mount that is lost leaves nothing, or an empty directory, and neither may be taken for a store in which nothing is: who
     * restores would conclude that nothing was ever stored. What {@link #open} made tells the difference.
     */
    private void mustBeThere() {
        if (!Files.isDirectory(unfinished)) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "durable store " + root + " is gone: " + unfinished
                            + " was there when it was opened and is not now; mount it again");
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
