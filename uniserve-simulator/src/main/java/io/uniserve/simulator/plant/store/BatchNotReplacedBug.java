package io.uniserve.simulator.plant.store;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Timers;
import io.uniserve.simulator.plant.Plant;

/** {@link Plant#BATCH_NOT_REPLACED}: deletes each object with runs of several logs some seconds after it is stored. */
public final class BatchNotReplacedBug extends ForwardingObjectStore {
    private static final long LATER_NANOS = 3_000_000_000L;

    private final Timers timers;

    public BatchNotReplacedBug(ObjectStore store, Timers timers) {
        super(store);
        this.timers = timers;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        super.put(key, data, completion);
        if (key.startsWith("batch/")) {
            timers.after(LATER_NANOS, () -> delete(key, done -> {}));
        }
    }
}
