package io.uniserve.simulator.plant;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Registry;
import java.util.List;

/** Registry that forwards all operations to another one. Plants override single operations. */
public abstract class ForwardingRegistry implements Registry {
    protected final Registry registry;

    protected ForwardingRegistry(Registry registry) {
        this.registry = registry;
    }

    @Override
    public void multi(List<Op> ops, Completion<MultiResult> completion) {
        registry.multi(ops, completion);
    }

    @Override
    public void read(String path, Completion<Versioned> completion) {
        registry.read(path, completion);
    }

    @Override
    public void children(String path, Completion<List<String>> completion) {
        registry.children(path, completion);
    }

    @Override
    public void childrenOverNewConnection(String path, Completion<List<String>> completion) {
        registry.childrenOverNewConnection(path, completion);
    }

    @Override
    public void sync(Completion<Done> completion) {
        registry.sync(completion);
    }

    @Override
    public void watch(String path, Runnable changed) {
        registry.watch(path, changed);
    }

    @Override
    public void unwatch(String path) {
        registry.unwatch(path);
    }

    @Override
    public void onSession(SessionListener listener) {
        registry.onSession(listener);
    }
}
