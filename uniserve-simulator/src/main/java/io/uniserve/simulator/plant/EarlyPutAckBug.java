package io.uniserve.simulator.plant;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.List;

/** {@link Plant#STORED_LATER}: acknowledges a put at once and executes it later, if the process is still alive. */
public final class EarlyPutAckBug implements ObjectStore {
    private static final long LATER_NANOS = 3_000_000_000L;

    private final ObjectStore store;
    private final Timers timers;

    public EarlyPutAckBug(ObjectStore store, Timers timers) {
        this.store = store;
        this.timers = timers;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        timers.post(() -> completion.done(Outcome.ok(Done.DONE)));
        timers.after(LATER_NANOS, () -> store.put(key, data, done -> {}));
    }

    @Override
    public void get(String key, Completion<Bytes> completion) {
        store.get(key, completion);
    }

    @Override
    public void list(String prefix, Completion<List<String>> completion) {
        store.list(prefix, completion);
    }

    @Override
    public void delete(String key, Completion<Done> completion) {
        store.delete(key, completion);
    }
}
