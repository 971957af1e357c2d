package io.uniserve.runtime.audit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** File system with a disk that gets full, fails, or hangs on demand. Thread-safe. */
final class TestingAuditFileSystem implements AuditFileSystem {
    private long room = Long.MAX_VALUE;
    private boolean syncFails;
    private boolean openFails;
    private boolean deleteFails;
    private CountDownLatch hang = new CountDownLatch(0);
    private int syncs;

    /** Sets the number of bytes that the disk has room for. */
    synchronized void room(long bytes) {
        room = bytes;
    }

    synchronized void fail(boolean sync, boolean open, boolean delete) {
        syncFails = sync;
        openFails = open;
        deleteFails = delete;
    }

    /** Makes each sync wait until the latch is open. */
    synchronized void hang(CountDownLatch until) {
        hang = until;
    }

    synchronized int syncs() {
        return syncs;
    }

    private synchronized long take(int bytes) {
        long taken = Math.min(bytes, room);
        room -= taken;
        return taken;
    }

    private synchronized boolean opensFail() {
        return openFails;
    }

    private synchronized CountDownLatch sync() throws IOException {
        syncs++;
        if (syncFails) {
            throw new IOException("Input/output error");
        }
        return hang;
    }

    @Override
    public OpenFile open(Path file, long size, boolean sync) throws IOException {
        if (opensFail()) {
            throw new IOException("Input/output error");
        }
        OpenFile real = AuditFileSystem.DEFAULT.open(file, size, sync);
        return new OpenFile() {
            @Override
            public void append(ByteBuffer bytes) throws IOException {
                int fits = (int) take(bytes.remaining());
                ByteBuffer part = bytes.slice(bytes.position(), fits);
                real.append(part);
                if (fits < bytes.remaining()) {
                    throw new IOException("No space left on device");
                }
            }

            @Override
            public void sync() throws IOException {
                try {
                    TestingAuditFileSystem.this.sync().await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                real.sync();
            }

            @Override
            public void close() throws IOException {
                real.close();
            }
        };
    }

    @Override
    public void delete(Path file) throws IOException {
        synchronized (this) {
            if (deleteFails) {
                throw new IOException("Input/output error");
            }
        }
        AuditFileSystem.DEFAULT.delete(file);
    }
}
