package io.uniserve.protocol.env;

import io.uniserve.codec.Bytes;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/** Durable storage of immutable objects, shared by the cluster. Keys are {@code [a-z0-9-./]}. */
public interface ObjectStore {
    /** Stores an object. A repeated put with the same bytes succeeds; with other bytes it fails with INVALID_ARGUMENT. */
    void put(String key, Bytes data, Completion<Done> completion);

    /** The same as {@link #put} for an object that may wait for others, so that all of them are stored with one request. */
    default void putSoon(String key, Bytes data, Completion<Done> completion) {
        put(key, data, completion);
    }

    /** True if requests cost so much that small objects of many actors should be stored with one request. */
    default boolean isPricedPerRequest() {
        return false;
    }

    /** Makes each of these an object of its own, if it is stored together with others. Errors as of {@link #get} and {@link #put}. */
    default void separate(Collection<String> keys, Completion<Done> completion) {
        completion.done(Outcome.ok(Done.DONE));
    }

    /** Reads an object and verifies its checksum: CORRUPT if it differs, IO if the object is absent. */
    void get(String key, Completion<Bytes> completion);

    /** Lists the keys with this prefix, sorted. */
    void list(String prefix, Completion<List<String>> completion);

    /** Deletes an object; no error if it is absent. */
    void delete(String key, Completion<Done> completion);

    /** Deletes these objects one after the other. The first error ends it, and the rest stays. */
    default void deleteAll(Iterator<String> keys, Completion<Done> completion) {
        if (!keys.hasNext()) {
            completion.done(Outcome.ok(Done.DONE));
            return;
        }
        delete(keys.next(), done -> {
            if (done instanceof Outcome.Ok<Done>) {
                deleteAll(keys, completion);
            } else {
                completion.done(done);
            }
        });
    }
}
