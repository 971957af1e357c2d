package io.uniserve.server;

import io.uniserve.model.Address;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import io.uniserve.runtime.disk.DataDirectory;
import io.uniserve.runtime.disk.FileDisk;
import io.uniserve.runtime.engine.PortEngineHost;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.metrics.MetricsServer;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.process.ResourceCloser;
import io.uniserve.runtime.registry.CuratorRegistry;
import io.uniserve.runtime.registry.RegistryOptions;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.store.AsyncObjectStore;
import io.uniserve.runtime.store.DurableStoreFactory;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcNetwork;
import io.uniserve.server.exchange.ExchangeHost;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** Resources that the server's state machine uses: loops, network, disk, engines, registry. If one fails to open, all are closed. */
final class ServerResources {
    /** Threads that block on disk I/O. Many of them, because the disk merges concurrent syncs of logs. */
    private static final int DISK_THREADS = 16;

    private static final int EXCHANGE_DISK_THREADS = 2;

    final ResourceCloser closer = new ResourceCloser();
    final SystemClock clock = SystemClock.INSTANCE;
    final RandomIdGenerator ids = new RandomIdGenerator();
    final ClusterIdentity cluster;
    final MetricsServer meters;
    final DataDirectory data;
    final ReloadingTls tls;
    final ChannelPool channels;
    final EventLoop loop;
    final EventLoop exchangeLoop;
    final PortEngineHost engine;
    final FileDisk disk;
    final ObjectStore objects;
    final Registry registry;
    private final ExchangeLimits exchangeLimits;

    /**
     * Opens all resources. {@code fatal} gets the failure of a loop's task, which stops the loop, and an engine call's
     * OutOfMemoryError.
     */
    ServerResources(Settings whole, Map<String, LoadedPort> ports, Consumer<Throwable> fatal) {
        ServerSettings settings = whole.server();
        ZooKeeperSettings zookeeper = whole.zookeeper();
        boolean complete = false;
        try {
            cluster = ClusterIdentity.of(zookeeper.cluster());
            tls = closer.add(ReloadingTls.open(whole.serverTls(ListenerKind.SERVER), clock));
            meters = closer.add(new MetricsServer(whole.metrics(ListenerKind.SERVER), tls));
            data = closer.add(DataDirectory.open(
                    settings.dataDirectory(), zookeeper.cluster(), settings.newDataDirectory(), settings.id(), ids));
            channels = closer.add(new ChannelPool(clock, tls, cluster));
            channels.setConnectionAge(whole.connectionAge().toNanos());
            loop = closer.add(new EventLoop("uniserve-server", clock, fatal));
            exchangeLoop = closer.add(new EventLoop("uniserve-exchange", clock, fatal));
            engine = closer.add(new PortEngineHost(
                    data.files(), data.scratch(), ports, settings.portSettings(), applyThreads(settings), loop, fatal));
            disk = closer.add(new FileDisk(data.files(), DISK_THREADS, loop));
            ServerSettings.Exchange bounds = settings.exchange();
            exchangeLimits = ExchangeLimits.DEFAULTS.with(
                    bounds.queryMemoryBytes(), bounds.memoryBytes(), bounds.queryFileBytes(), bounds.fileBytes());
            objects = openObjectStore(settings.storageLocation());
            registry = new CountingRegistry(
                    closer.add(new CuratorRegistry(
                            RegistryOptions.of(
                                    zookeeper, zookeeper.sessionTimeout().toMillis()),
                            loop)),
                    meters.registry());
            complete = true;
        } finally {
            if (!complete) {
                closer.closeAll();
            }
        }
    }

    /** Environment of the state machine. */
    Environment environment(Network network) {
        return new Environment(clock, loop, network, registry, disk, objects, engine, ids);
    }

    /** Exchange of the server with this address; its files are deleted at the next start. */
    ExchangeHost openExchange(Address self) {
        return new ExchangeHost(
                clock,
                exchangeLoop,
                new GrpcNetwork(channels, cluster, exchangeLoop),
                closer.add(FileDisk.scratch(
                        "uniserve-exchange-disk",
                        data.scratch().resolve("chunks"),
                        EXCHANGE_DISK_THREADS,
                        exchangeLoop)),
                self,
                exchangeLimits,
                ids.next());
    }

    /** Network for requests to other daemons and, once its handler is set, to this server itself. */
    LoopbackNetwork openNetwork(Address self) {
        return new LoopbackNetwork(self, new GrpcNetwork(channels, cluster, loop), loop);
    }

    private static int applyThreads(ServerSettings settings) {
        int given = settings.work().applyThreads();
        return given > 0 ? given : Math.max(2, Runtime.getRuntime().availableProcessors());
    }

    private ObjectStore openObjectStore(Optional<String> location) {
        if (location.isEmpty()) {
            return new EmptyObjectStore(loop);
        }
        return closer.add(new AsyncObjectStore(DurableStoreFactory.open(location.get()), loop));
    }
}
