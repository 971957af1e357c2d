package io.uniserve.runtime.disk;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.runtime.async.BlockingIoExecutor;
import io.uniserve.runtime.async.DiskErrorMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/**
 * Disk of the protocol: files below a root directory, with a bounded pool of threads. Files with a name that ends in {@code ~} are
 * unfinished and not listed. {@code reserve~} reserves space for small files that are replaced. Thread-safe, if operations on one
 * path are not concurrent.
 */
public final class FileDisk implements Disk, AutoCloseable {
    private static final int OPEN_FILES_MAX = 512;
    /** A file may stay open for its next part. */
    static final int SCRATCH_OPEN_FILES_MAX = 64;

    private static final String UNFINISHED = "~";
    /** Largest file that may be replaced even on a full disk, such as a replica's state. */
    private static final int SMALL_BYTES = 16 << 10;

    private static final int RESERVE_BYTES = 256 << 10;

    private final Path root;
    private final BlockingIoExecutor pool;
    private final DiskReserve reserve;
    private final OpenFileCache open;
    private final boolean durable;

    /**
     * Opens the disk.
     *
     * @param root created if absent
     * @param threads number of concurrent operations
     * @param loop executor of completions
     */
    public FileDisk(Path root, int threads, Executor loop) {
        this("uniserve-disk", root, threads, loop, true);
    }

    private FileDisk(String name, Path root, int threads, Executor loop, boolean durable) {
        this.root = root;
        this.durable = durable;
        this.open = new OpenFileCache(durable ? OPEN_FILES_MAX : SCRATCH_OPEN_FILES_MAX);
        try {
            DurableFileOperations.createDirectories(root.toAbsolutePath());
        } catch (IOException e) {
            throw DiskErrorMapper.of("cannot create " + root, e);
        }
        this.reserve = new DiskReserve(root.resolve("reserve" + UNFINISHED), RESERVE_BYTES);
        this.pool = new BlockingIoExecutor(name, threads, loop);
    }

    /**
     * Opens a disk for files that no later process reads. They are never synced, so any of them may be closed at any time: the disk
     * may have any number of files, with few open.
     *
     * @param name prefix of the names of its threads
     */
    public static FileDisk scratch(String name, Path root, int threads, Executor loop) {
        return new FileDisk(name, root, threads, loop, false);
    }

    /** Number of files that are open for appending; for tests. */
    int openFiles() {
        return open.size();
    }

    @Override
    public void append(String path, Bytes data, Completion<Done> completion) {
        run("append to", path, completion, file -> append(file, data));
    }

    private Done append(Path file, Bytes data) throws IOException {
        OpenFileCache.OpenFile channel = open.acquire(file);
        try {
            if (durable) {
                channel.markDirty();
            }
            reserve.runKeepingReserve(() -> DurableFileOperations.writeFully(channel.channel(), data.buffer()));
        } finally {
            open.release(channel);
        }
        return Done.DONE;
    }

    @Override
    public void sync(String path, Completion<Done> completion) {
        run("sync", path, completion, this::sync);
    }

    private Done sync(Path file) throws IOException {
        OpenFileCache.OpenFile channel = open.acquireExisting(file);
        try {
            channel.sync();
        } finally {
            open.release(channel);
        }
        return Done.DONE;
    }

    /** Both steps run on one thread, in order. */
    @Override
    public void appendSynced(String path, Bytes data, Completion<Done> failed, Completion<Done> synced) {
        AtomicBoolean appended = new AtomicBoolean();
        Completion<Done> end = done -> (appended.get() ? synced : failed).done(done);
        run("append to or sync", path, end, file -> {
            append(file, data);
            appended.set(true);
            return sync(file);
        });
    }

    @Override
    public void read(String path, Completion<Bytes> completion) {
        run("read", path, completion, file -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return readAt(channel, path, 0, channel.size());
            }
        });
    }

    @Override
    public void readRange(String path, long offset, int length, Completion<Bytes> completion) {
        run("read", path, completion, file -> range(file, path, offset, length));
    }

    @Override
    public void readHashed(String path, long offset, int length, Completion<Hashed> completion) {
        run("read", path, completion, file -> {
            Bytes data = range(file, path, offset, length);
            return new Hashed(data, Sha256.hex(data));
        });
    }

    private static Bytes range(Path file, String path, long offset, int length) throws IOException {
        if (offset < 0 || length < 0) {
            throw UniserveException.invalid("read of " + length + " bytes at " + offset + " of " + path);
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return readAt(channel, path, offset, length);
        }
    }

    private static Bytes readAt(FileChannel channel, String path, long offset, long length) throws IOException {
        if (length > Integer.MAX_VALUE - 8) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE, "file " + path + " has " + length + " bytes, too many for one read");
        }
        ByteBuffer buffer = ByteBuffer.allocate((int) length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, offset + buffer.position()) < 0) {
                throw new UniserveException(
                        ErrorCode.IO,
                        "file " + path + " ends before byte " + (offset + length) + ", at "
                                + (offset + buffer.position()));
            }
        }
        return Bytes.wrap(buffer.array());
    }

    @Override
    public void replace(String path, Bytes data, Completion<Done> completion) {
        run("replace", path, completion, file -> {
            open.closeUnder(file);
            if (data.size() <= SMALL_BYTES) {
                reserve.runWithReserve(() -> replace(file, data));
            } else {
                reserve.runKeepingReserve(() -> replace(file, data));
            }
            return Done.DONE;
        });
    }

    private static void replace(Path file, Bytes data) throws IOException {
        Path parent = parent(file);
        DurableFileOperations.createDirectories(parent);
        Path unfinished = file.resolveSibling(file.getFileName() + UNFINISHED);
        DurableFileOperations.writeNew(unfinished, List.of(data.buffer()));
        Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        DurableFileOperations.syncDirectory(parent);
    }

    @Override
    public void truncate(String path, long size, Completion<Done> completion) {
        run("truncate", path, completion, file -> {
            if (size < 0) {
                throw UniserveException.invalid("cannot truncate " + path + " to " + size + " bytes");
            }
            open.closeUnder(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(size);
                channel.force(true);
            }
            return Done.DONE;
        });
    }

    @Override
    public void move(String from, String to, Completion<Done> completion) {
        run("move", from, completion, source -> {
            Path target = DiskPathMapper.resolve(root, to);
            open.closeUnder(source);
            open.closeUnder(target);
            DurableFileOperations.createDirectories(parent(target));
            Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
            DurableFileOperations.syncDirectory(parent(target));
            if (!parent(source).equals(parent(target))) {
                DurableFileOperations.syncDirectory(parent(source));
            }
            return Done.DONE;
        });
    }

    @Override
    public void delete(String path, Completion<Done> completion) {
        run("delete", path, completion, file -> {
            open.closeUnder(file);
            DurableFileOperations.deleteTree(file);
            if (durable && Files.isDirectory(parent(file))) {
                DurableFileOperations.syncDirectory(parent(file));
            }
            return Done.DONE;
        });
    }

    @Override
    public void list(String directory, Completion<List<Entry>> completion) {
        pool.run("list " + directory, completion, () -> {
            Path path = directory.isEmpty() ? root : DiskPathMapper.resolve(root, directory);
            try (Stream<Path> children = Files.list(path)) {
                List<Entry> entries = new ArrayList<>();
                for (Path child : (Iterable<Path>) children::iterator) {
                    add(child, entries);
                }
                entries.sort(Comparator.comparing(Entry::name));
                return List.copyOf(entries);
            } catch (NoSuchFileException | NotDirectoryException e) {
                return List.of();
            }
        });
    }

    private static void add(Path child, List<Entry> entries) throws IOException {
        String name = child.getFileName().toString();
        if (name.endsWith(UNFINISHED)) {
            return;
        }
        if (Files.isDirectory(child)) {
            entries.add(new Entry(name + "/", 0));
            return;
        }
        try {
            entries.add(new Entry(name, Files.size(child)));
        } catch (NoSuchFileException e) {
            // Deleted since the directory was read: not an error of the directory.
            return;
        }
    }

    /** Waits for running operations, stops the threads and closes all files. */
    @Override
    public void close() {
        pool.close();
        open.close();
    }

    private static Path parent(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file : parent;
    }

    /** Operation on a file. */
    @FunctionalInterface
    private interface FileWork<T> {
        T run(Path file) throws IOException;
    }

    private <T> void run(String what, String path, Completion<T> completion, FileWork<T> work) {
        pool.run("cannot " + what + " " + path, completion, () -> work.run(DiskPathMapper.resolve(root, path)));
    }
}
