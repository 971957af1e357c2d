package io.uniserve.runtime.disk;

import io.uniserve.runtime.async.DiskErrorMapper;
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
 * Reserve of disk space for small files that must be written even on a full disk. Without it a replica could not install an epoch,
 * and reads would fail. The reserve is released for one such write and allocated again after it. If another writer of the disk
 * (another process, an engine) uses the space first, the write fails with DISK_FULL. Thread-safe.
 */
final class DiskReserve {
    private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
    private static final int STEP_BYTES = 16 << 10;

    private final Path file;
    private final int bytes;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private volatile boolean allocated;

    DiskReserve(Path file, int bytes) {
        this.file = file;
        this.bytes = bytes;
        allocate();
    }

    /** Work on files. */
    @FunctionalInterface
    interface Work {
        void run() throws IOException;
    }

    /** Runs work without access to the reserve. */
    void runKeepingReserve(Work work) throws IOException {
        lock.readLock().lock();
        try {
            work.run();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Runs work. If the disk is full, releases the reserve and runs the work again. */
    void runWithReserve(Work work) throws IOException {
        try {
            runKeepingReserve(work);
        } catch (IOException e) {
            if (!DiskErrorMapper.isDiskFull(e)) {
                throw e;
            }
            runWithoutReserve(work);
            return;
        }
        if (!allocated) {
            lock.writeLock().lock();
            try {
                allocate();
            } finally {
                lock.writeLock().unlock();
            }
        }
    }

    private void runWithoutReserve(Work work) throws IOException {
        lock.writeLock().lock();
        try {
            Files.deleteIfExists(file);
            allocated = false;
            work.run();
        } finally {
            allocate();
            lock.writeLock().unlock();
        }
    }

    /** Allocates the reserve, as far as there is space. */
    private void allocate() {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            long size = channel.size();
            channel.position(size);
            ByteBuffer step = ByteBuffer.allocate(STEP_BYTES);
            while (size < bytes) {
                step.clear();
                DurableFileOperations.writeFully(channel, step);
                size += STEP_BYTES;
            }
            channel.force(true);
            allocated = true;
        } catch (IOException e) {
            LOG.debug("cannot allocate the reserve {}", file, e);
        }
    }
}
