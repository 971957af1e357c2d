package io.uniserve.runtime.provider;

import io.uniserve.protocol.env.ServerProvider.Instance;
import io.uniserve.protocol.env.ServerProvider.Launch;
import java.util.List;

/**
 * Provider of servers whose calls block, with the meaning of {@link io.uniserve.protocol.env.ServerProvider}. Failures are {@link
 * io.uniserve.error.UniserveException}. Used by one thread at a time.
 */
public interface BlockingServerProvider extends AutoCloseable {
    /** Name of the provider, for logs. */
    String name();

    /** Launches a server, or returns the instance of an earlier launch with the same token. */
    Instance launch(Launch launch);

    /** Terminates the instance with this id. */
    void terminate(String instanceId);

    /** Lists the instances of the cluster with this identity. */
    List<Instance> list(String identity);

    @Override
    void close();
}
