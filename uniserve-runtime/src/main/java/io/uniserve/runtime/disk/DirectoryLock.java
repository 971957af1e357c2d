package io.uniserve.runtime.disk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Exclusive lock of a directory across all processes of the machine. The operating system releases it when the process dies. */
public final class DirectoryLock implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectoryLock.class);
    private static final String FILE = "lock";

    /**
     * Directories that this process has locked. The system's file locks belong to the process: opening and closing the file a second
     * time would release the lock.
     */
    private static final Set<Path> LOCKED = ConcurrentHashMap.newKeySet();

    private final Path directory;
    private final FileChannel channel;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DirectoryLock(Path directory, FileChannel channel) {
        this.directory = directory;
        this.channel = channel;
    }

    /**
     * Locks the directory.
     *
     * @param what name of the directory in errors
     * @param create true to create it if it is missing
     * @throws UniserveException INVALID_CONFIGURATION if it is missing, not a directory, read-only or in use
     */
    public static DirectoryLock acquire(Path directory, String what, boolean create) {
        prepare(directory, what, create);
        Path real;
        try {
            real = directory.toRealPath();
        } catch (IOException e) {
            throw refuse(what, directory, "cannot be reached (" + e + "); check the path", e);
        }
        if (!LOCKED.add(real)) {
            throw refuse(what, directory, "is in use by this process; choose another directory", null);
        }
        try {
            return new DirectoryLock(real, lock(directory, what));
        } catch (UniserveException e) {
            LOCKED.remove(real);
            throw e;
        }
    }

    private static FileChannel lock(Path directory, String what) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(directory.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (channel.tryLock() == null) {
                closeQuietly(channel);
                throw refuse(
                        what, directory, "is in use by another process; stop it or choose another directory", null);
            }
            return channel;
        } catch (IOException e) {
            if (channel != null) {
                closeQuietly(channel);
            }
            throw refuse(what, directory, "cannot be written (" + e + "); check owner, mode and mount", e);
        }
    }

    private static void prepare(Path directory, String what, boolean create) {
        if (Files.exists(directory) && !Files.isDirectory(directory)) {
            throw refuse(what, directory, "is no directory; choose another path", null);
        }
        if (!Files.isDirectory(directory)) {
            if (!create) {
                throw refuse(what, directory, "does not exist; make it, or check the path and the mount", null);
            }
            try {
                DurableFileOperations.createDirectories(directory);
            } catch (IOException e) {
                throw refuse(what, directory, "cannot be made (" + e + "); check owner, mode and mount", e);
            }
        }
        if (!Files.isWritable(directory)) {
            throw refuse(what, directory, "is read-only; check owner, mode and mount", null);
        }
    }

    private static UniserveException refuse(String what, Path directory, String why, @Nullable Exception cause) {
        return new UniserveException(ErrorCode.INVALID_CONFIGURATION, what + " " + directory + " " + why, cause);
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing the lock file failed", e);
        }
    }

    /** Unlocks the directory. Idempotent. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            closeQuietly(channel);
            LOCKED.remove(directory);
        }
    }
}
