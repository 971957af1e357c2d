package io.uniserve.runtime.store;

import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.util.List;

/**
 * A kind of durable storage: immutable objects by key, {@code [a-z0-9-.]} parts joined by {@code /}. Calls block; safe for
 * use by several threads and processes. Checks of keys are done by {@link AsyncObjectStore}, which every kind runs behind.
 * An {@link IOException} becomes DISK_FULL or IO.
 */
public interface DurableStore extends AutoCloseable {
    /**
     * Stores an object so that it survives a loss of power. The same bytes under the same key again succeed, other bytes
     * fail with INVALID_ARGUMENT. Never leaves a part of an object behind under its key.
     */
    void put(String key, Bytes data) throws IOException;

    /** The object; IO where it is absent, CORRUPT where its bytes are not those that were put. */
    Bytes get(String key) throws IOException;

    /**
     * Keys that start with the prefix, sorted. None is told only of a store that is there: one that is lost, as a mount may be, is
     * an error.
     */
    List<String> list(String prefix) throws IOException;

    /** Deletes an object; no error where it is absent. */
    void delete(String key) throws IOException;

    /** Where the objects are, for logs and errors; without secrets. */
    String describe();

    @Override
    void close();
}
