package io.uniserve.runtime.provider;

import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.ServerProvider;
import io.uniserve.runtime.async.BlockingIoExecutor;
import java.util.List;
import java.util.concurrent.Executor;

/** Asynchronous adapter of a blocking provider: calls run one after the other on a thread, and complete on the loop. */
public final class AsyncServerProvider implements ServerProvider, AutoCloseable {
    private final BlockingServerProvider provider;
    private final BlockingIoExecutor pool;

    /** Takes ownership of the provider. */
    public AsyncServerProvider(BlockingServerProvider provider, Executor loop) {
        this.provider = provider;
        this.pool = new BlockingIoExecutor("uniserve-provider", 1, loop);
    }

    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public void launch(Launch launch, Completion<Instance> completion) {
        pool.run("cannot launch " + launch.server(), completion, () -> provider.launch(launch));
    }

    @Override
    public void terminate(String instanceId, Completion<Done> completion) {
        pool.run("cannot terminate " + instanceId, completion, () -> {
            provider.terminate(instanceId);
            return Done.DONE;
        });
    }

    @Override
    public void list(String identity, Completion<List<Instance>> completion) {
        pool.run("cannot list the servers of provider " + name(), completion, () -> provider.list(identity));
    }

    @Override
    public void close() {
        pool.close();
        provider.close();
    }
}
