package io.uniserve.runtime.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cache of files that are open for appending. Above its limit it closes the least recently used files, but none with unsynced bytes:
 * an error of writing them back must reach the file's own sync. Thread-safe.
 */
final class OpenFileCache implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFileCache.class);

    private final int openFilesMax;
    private final Map<Path, OpenFile> files = new LinkedHashMap<>(16, 0.75f, true);
    private boolean closed;

    OpenFileCache(int bound) {
        this.openFilesMax = bound;
    }

    /** File in use by one operation, until {@link #release}. */
    static final class OpenFile {
        private final Path path;
        private final FileChannel channel;
        private int useCount;
        private boolean dirty;
        private boolean nameDurable;

        private OpenFile(Path path, FileChannel channel) {
            this.path = path;
            this.channel = channel;
        }

        FileChannel channel() {
            return channel;
        }

        /** Marks the file as having unsynced bytes. */
        void markDirty() {
            dirty = true;
        }

        /** Syncs bytes and name. */
        void sync() throws IOException {
            channel.force(true);
            Path parent = path.getParent();
            if (!nameDurable && parent != null) {
                DurableFileOperations.syncDirectory(parent);
                nameDurable = true;
            }
            dirty = false;
        }
    }

    /** Returns the file, opened or created (with its directory) if necessary. */
    OpenFile acquire(Path path) throws IOException {
        OpenFile open = acquireOpen(path);
        if (open != null) {
            return open;
        }
        Path parent = path.getParent();
        if (parent != null) {
            DurableFileOperations.createDirectories(parent);
        }
        return add(
                path,
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND));
    }

    /** Returns the file, which must exist. */
    OpenFile acquireExisting(Path path) throws IOException {
        OpenFile open = acquireOpen(path);
        return open != null
                ? open
                : add(path, FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.APPEND));
    }

    void release(OpenFile file) {
        synchronized (this) {
            file.useCount--;
        }
        closeUnused();
    }

    /** Closes the file, or every file below the directory. */
    synchronized void closeUnder(Path path) {
        Iterator<Map.Entry<Path, OpenFile>> each = files.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<Path, OpenFile> entry = each.next();
            if (entry.getKey().startsWith(path)) {
                each.remove();
                close(entry.getValue());
            }
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        files.values().forEach(OpenFileCache::close);
        files.clear();
    }

    synchronized int size() {
        return files.size();
    }

    private synchronized @Nullable OpenFile acquireOpen(Path path) {
        OpenFile open = files.get(path);
        if (open != null) {
            open.useCount++;
        }
        return open;
    }

    private OpenFile add(Path path, FileChannel channel) throws IOException {
        OpenFile opened = new OpenFile(path, channel);
        opened.useCount = 1;
        synchronized (this) {
            if (closed) {
                channel.close();
                throw new IOException("the disk is closed");
            }
            files.put(path, opened);
        }
        return opened;
    }

    private synchronized void closeUnused() {
        Iterator<OpenFile> oldest = files.values().iterator();
        while (files.size() > openFilesMax && oldest.hasNext()) {
            OpenFile file = oldest.next();
            if (file.useCount == 0 && !file.dirty) {
                oldest.remove();
                close(file);
            }
        }
    }

    private static void close(OpenFile file) {
        try {
            file.channel.close();
        } catch (IOException e) {
            LOG.warn("{}: close failed", file.path, e);
        }
    }
}
