package io.uniserve.simulator.plant.store;

import io.uniserve.codec.Bytes;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ObjectStore;
import java.util.List;

/** Object store that passes each call on. */
class ForwardingObjectStore implements ObjectStore {
    private final ObjectStore store;

    ForwardingObjectStore(ObjectStore store) {
        this.store = store;
    }

    @Override
    public void put(String key, Bytes data, Completion<Done> completion) {
        store.put(key, data, completion);
    }

    @Override
    public boolean isPricedPerRequest() {
        return store.isPricedPerRequest();
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
