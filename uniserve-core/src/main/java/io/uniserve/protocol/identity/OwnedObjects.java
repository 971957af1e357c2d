package io.uniserve.protocol.identity;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.List;

/** Durable storage that takes no request before its owner is known to be this cluster. Not thread-safe. */
public final class OwnedObjects implements ObjectStore {
    private final ObjectStore objects;
    private final Timers timers;
    private boolean open;

    public OwnedObjects(ObjectStore objects, Timers timers) {
        this.objects = objects;
        this.timers = timers;
    }

    /** The storage as it is, to find its owner. */
    public ObjectStore unowned() {
        return objects;
    }

    /** The owner is this cluster. */
    public void open() {
        open = true;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        if (admits(completion)) {
            objects.put(key, data, completion);
        }
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        if (admits(completion)) {
            objects.get(key, completion);
        }
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        if (admits(completion)) {
            objects.list(prefix, completion);
        }
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        if (admits(completion)) {
            objects.delete(key, completion);
        }
    }

    private <T> boolean admits(Completion<T> completion) {
        if (!open) {
            timers.after(
                    0,
                    () -> completion.done(Outcome.err(new UniserveException(
                            ErrorCode.IO, "durable storage has not shown its owner yet: try again"))));
        }
        return open;
    }
}
