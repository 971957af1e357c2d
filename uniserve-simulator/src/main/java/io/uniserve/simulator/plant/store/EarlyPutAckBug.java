package io.uniserve.simulator.plant.store;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.plant.Plant;

/** {@link Plant#STORED_LATER}: acknowledges a put at once and executes it later, if the process is still alive. */
public final class EarlyPutAckBug extends ForwardingObjectStore {
    private static final long LATER_NANOS = 3_000_000_000L;

    private final Timers timers;

    public EarlyPutAckBug(ObjectStore store, Timers timers) {
        super(store);
        this.timers = timers;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        timers.post(() -> completion.done(Outcome.ok(Done.DONE)));
        timers.after(LATER_NANOS, () -> super.put(key, data, done -> {}));
    }
}
