package io.uniserve.runtime.disk;

import io.uniserve.runtime.async.DiskErrors;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A little room kept back for small files that must be written even when the disk is full: without it a replica could not
 * install an epoch, and readers would be refused. Given up for one such write and taken back after it; other
 * writers of the same disk (other processes, engines) may be faster, then that write fails as any other. Safe for use by
 * several threads.
 */
final class DiskReserve {
    private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
    private static final int STEP_BYTES = 16 << 10;

    private final Path file;
    private final int bytes;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private volatile boolean whole;

    DiskReserve(Path file, int bytes) {
        this.file = file;
        this.bytes = bytes;
        fill();
    }

    /** Work on files. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Runs work that gets no room kept back. */
    void beside(Work work) throws IOException {
        lock.readLock().lock();
        try {
            work.run();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Runs work that gets the room kept back when there is no other; it runs again then. */
    void first(Work work) throws IOException {
        try {
            beside(work);
        } catch (IOException e) {
            if (!DiskErrors.isDiskFull(e)) {
                throw e;
            }
            alone(work);
            return;
        }
        if (!whole) {
            lock.writeLock().lock();
            try {
                fill();
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    private void alone(Work work) throws IOException {
        lock.writeLock().lock();
        try {
            Files.deleteIfExists(file);
            whole = false;
            work.run();
        } finally {
            fill();
            lock.writeLock().unlock();
        }
    }

    /** As much as there is room for. */
    private void fill() {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long size = channel.size();
            channel.position(size);
            ByteBuffer step = ByteBuffer.allocate(STEP_BYTES);
            while (size < bytes) {
                step.clear();
                DurableFiles.writeFully(channel, step);
                size += STEP_BYTES;
            }
            channel.force(true);
            whole = true;
        } catch (IOException e) {
            LOG.debug("no room to keep back in {}", file, e);
        }
    }
}
