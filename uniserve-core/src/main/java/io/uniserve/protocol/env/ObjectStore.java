package io.uniserve.protocol.env;

import io.uniserve.codec.Bytes;
import java.util.Iterator;
import java.util.List;

/** Durable storage of immutable objects, shared by the cluster. Keys are {@code [a-z0-9-./]}. */
public interface ObjectStore {
    /** Stores an object; putting the same key with the same bytes again succeeds, with other bytes fails with INVALID_ARGUMENT. */
    void put(String key, Bytes data, Completion<Done> completion);

    /** The object, verified against its checksum: CORRUPT where it differs, IO where it is absent. */
    void get(String key, Completion<Bytes> completion);

    /** Keys that start with the prefix, sorted. */
    void list(String prefix, Completion<List<String>> completion);

    /** Deletes an object; no error where it is absent. */
    void delete(String key, Completion<Done> completion);

    /** Deletes these objects one after the other; ends with the first error, then the rest is left. */
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
