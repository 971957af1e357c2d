package io.uniserve.server;

import io.uniserve.model.Address;
import io.uniserve.placement.InitialPlacementPolicy;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.registry.CuratorRegistry;
import io.uniserve.runtime.registry.RegistryOptions;
import io.uniserve.runtime.registry.access.ZooKeeperSecurity;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.runtime.transport.server.GrpcServer;
import io.uniserve.runtime.transport.server.RoutingBroadcaster;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Coordinator for tests of servers: the real state machine with a real port and a real registry. */
final class TestCoordinator implements AutoCloseable {
    private final AtomicReference<@Nullable CoordinatorStateMachine> machine = new AtomicReference<>();
    private final RoutingBroadcaster hub = new RoutingBroadcaster();
    private final ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN);
    private final EventLoop loop;
    private final CuratorRegistry registry;
    private final GrpcServer server;
    final Address address;

    TestCoordinator(String connect, String cluster, AtomicReference<@Nullable Throwable> fatal) {
        loop = new EventLoop("test-coordinator", SystemClock.INSTANCE, fatal::set);
        registry =
                new CuratorRegistry(new RegistryOptions(connect, cluster, 2_000, 2_000, ZooKeeperSecurity.NONE), loop);
        ClusterIdentity identity = ClusterIdentity.of(cluster);
        server = GrpcServer.builder(identity)
                .peers((request, done) -> loop.execute(() -> started().onPeer(request, done)))
                .admin((request, done) -> loop.execute(() -> started().onAdmin(request, done)))
                .routing(hub)
                .start("localhost", 0);
        address = new Address("localhost", server.port());
        CoordinatorEnvironment env = new CoordinatorEnvironment(
                SystemClock.INSTANCE,
                loop,
                new GrpcNetwork(channels, identity, loop),
                registry,
                new RandomIdGenerator());
        CoordinatorStateMachine made = new CoordinatorStateMachine(
                CoordinatorConfig.defaults("c-1", address, cluster), env, new InitialPlacementPolicy());
        machine.set(made);
        loop.execute(() -> {
            made.onRouting(hub::publish);
            made.onFatal(fatal::set);
            made.start();
        });
    }

    private CoordinatorStateMachine started() {
        CoordinatorStateMachine made = machine.get();
        if (made == null) {
            throw new IllegalStateException("not started");
        }
        return made;
    }

    @Override
    public void close() {
        server.close();
        loop.execute(() -> started().stop());
        registry.close();
        loop.close();
        channels.close();
    }
}
