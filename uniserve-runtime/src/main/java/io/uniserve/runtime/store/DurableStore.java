package io.uniserve.runtime.store;

import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.util.List;
import java.util.SortedMap;

/**
 * Kind of durable storage: immutable objects by key, {@code [a-z0-9-.]} parts joined by {@code /}. Calls block; safe for use by
 * several threads and processes. {@link AsyncObjectStore} checks the keys for every kind. An {@link IOException} becomes DISK_FULL or
 * IO.
 */
public interface DurableStore extends AutoCloseable {
    /**
     * Stores an object so that it survives a power failure. Repeating it with the same bytes succeeds; other bytes under the same key
     * fail with INVALID_ARGUMENT. A failed call never leaves a partial object under the key.
     */
    void put(String key, Bytes data) throws IOException;

    /** Returns the object. Fails with IO if it is absent; with CORRUPT if its bytes differ from those that were put. */
    Bytes get(String key) throws IOException;

    /**
     * Returns the keys with the prefix, sorted. Fails if the store itself is missing, such as a lost mount: an empty result always
     * means an existing store.
     */
    default List<String> list(String prefix) throws IOException {
        return List.copyOf(sizes(prefix).keySet());
    }

    /**
     * Returns the keys with the prefix, sorted, each with the size of its object in bytes as the store counts it, with headers. Fails as
     * {@link #list} does.
     */
    SortedMap<String, Long> sizes(String prefix) throws IOException;

    /** Deletes an object; not an error if it is absent. */
    void delete(String key) throws IOException;

    /** Calls that may run at the same time; more only wait for each other. */
    default int concurrency() {
        return 2;
    }

    /** True if each request costs, so that small objects of many actors are stored with one. */
    default boolean isPricedPerRequest() {
        return false;
    }

    /** Location of the objects for logs and errors, without secrets. */
    String describe();

    @Override
    void close();
}
