package io.uniserve.runtime.store;

import io.uniserve.error.UniserveException;

/**
 * Kind of durable storage outside of this jar, found by {@link java.util.ServiceLoader}. Its jars are in a folder of their own, so that
 * only processes with such a location load them.
 */
public interface DurableStoreProvider {
    /** Scheme of its locations, such as {@code s3}. */
    String scheme();

    /**
     * Opens a store and checks that it can be used.
     *
     * @throws UniserveException INVALID_CONFIGURATION, UNAUTHORIZED or UNAVAILABLE, with the cause and the remedy
     */
    DurableStore open(String location);

    /** Examines a store before it is trusted. It writes and deletes objects below the location. */
    StoreReport analyse(String location);
}
