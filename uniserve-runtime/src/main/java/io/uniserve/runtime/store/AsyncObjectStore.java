package io.uniserve.runtime.store;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.runtime.async.BlockingIoExecutor;
import io.uniserve.runtime.disk.DiskPathMapper;
import java.util.List;
import java.util.concurrent.Executor;

/** Asynchronous adapter of a durable store: calls run on a bounded pool of threads and complete on the loop. */
public final class AsyncObjectStore implements ObjectStore, AutoCloseable {
    private static final int PREFIX_CHARS_MAX = 512;

    private final DurableStore store;
    private final BlockingIoExecutor pool;

    /** Takes ownership of the store, with as many threads as it can use. */
    public AsyncObjectStore(DurableStore store, Executor loop) {
        this(store, store.concurrency(), loop);
    }

    /** Takes ownership of the store. {@code threads} requests run concurrently. */
    public AsyncObjectStore(DurableStore store, int threads, Executor loop) {
        this.store = store;
        this.pool = new BlockingIoExecutor("uniserve-store", threads, loop);
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        pool.run("cannot store " + key, completion, () -> {
            DiskPathMapper.check(key);
            store.put(key, data);
            return Done.DONE;
        });
    }

    @Override
    public boolean isPricedPerRequest() {
        return store.isPricedPerRequest();
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        pool.run("cannot fetch " + key, completion, () -> {
            DiskPathMapper.check(key);
            return store.get(key);
        });
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        pool.run("cannot list " + prefix, completion, () -> {
            if (prefix.length() > PREFIX_CHARS_MAX || !prefix.matches("[a-z0-9./-]*") || prefix.contains("..")) {
                throw UniserveException.invalid("object prefix: use at most 512 characters of a-z 0-9 - . /");
            }
            return store.list(prefix);
        });
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        pool.run("cannot delete " + key, completion, () -> {
            DiskPathMapper.check(key);
            store.delete(key);
            return Done.DONE;
        });
    }

    @Override
    public void close() {
        pool.close();
        store.close();
    }
}
