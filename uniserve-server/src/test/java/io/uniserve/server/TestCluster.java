package io.uniserve.server;

import static org.awaitility.Awaitility.await;

import io.uniserve.api.Document;
import io.uniserve.api.plan.Answer;
import io.uniserve.codec.Codecs;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.port.LoadedPort;
import io.uniserve.runtime.registry.EmbeddedZooKeeper;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.AdminClient;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.RoutingClient;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Cluster in this process: ZooKeeper, coordinator, servers with real sockets and files, and a plain client. */
final class TestCluster implements AutoCloseable {
    static final String CLUSTER = "test";
    static final TableName TABLE = new TableName("t");
    private static final long SECOND = 1_000_000_000L;

    final AtomicReference<@Nullable Throwable> fatal = new AtomicReference<>();
    final Map<String, ServerDaemon> servers = new TreeMap<>();
    final EmbeddedZooKeeper zookeeper;
    private final Path directory;
    private final TestCoordinator coordinator;
    private final EventLoop loop;
    private final ChannelPool channels = new ChannelPool(SystemClock.INSTANCE, TlsFiles.PLAIN);
    private final ClusterIdentity identity = ClusterIdentity.of(CLUSTER);
    private final RoutingClient watcher;
    private volatile Routing routing = new Routing("", List.of(), List.of(), null);
    private long sequence;

    TestCluster(Path directory) {
        this.directory = directory;
        zookeeper = EmbeddedZooKeeper.start(
                new InetSocketAddress("127.0.0.1", 0),
                directory.resolve("zk"),
                message -> fatal.set(new AssertionError(message)));
        coordinator = new TestCoordinator("127.0.0.1:" + zookeeper.port(), CLUSTER, fatal);
        loop = new EventLoop("test-client", SystemClock.INSTANCE, fatal::set);
        watcher = new RoutingClient(
                Set.of(coordinator.address),
                channels,
                identity,
                loop,
                SystemClock.INSTANCE,
                new RandomIdGenerator(),
                next -> routing = next);
        watcher.start();
    }

    Settings settings(String name, Map<String, String> more) {
        Map<String, String> all = new HashMap<>();
        all.put("uniserve.cluster", CLUSTER);
        all.put("uniserve.zookeeper.connect", "127.0.0.1:" + zookeeper.port());
        all.put("uniserve.zookeeper.session-timeout", "2s");
        all.put("uniserve.zookeeper.start-timeout", "20s");
        all.put("uniserve.storage.location", directory.resolve("storage").toString());
        all.put("uniserve.server.host", "127.0.0.1");
        all.put("uniserve.server.port", "0");
        all.put("uniserve.server.data-dir", directory.resolve(name).toString());
        all.put("uniserve.server.new-data-dir", "true");
        all.put("uniserve.server.drain-timeout", "10s");
        all.put("uniserve.server.stop-grace", "1s");
        all.putAll(more);
        return Settings.load(Optional.empty(), all);
    }

    ServerDaemon server(String name) {
        ServerDaemon daemon = start(settings(name, Map.of()));
        servers.put(name, daemon);
        return daemon;
    }

    ServerDaemon start(Settings settings) {
        return ServerDaemon.start(settings, Map.of(KvEngine.NAME, LoadedPort.of(new KvEngine())), fatal::set);
    }

    Address address(String name) {
        return Optional.ofNullable(servers.get(name)).orElseThrow().address();
    }

    void stop(String name) {
        Optional.ofNullable(servers.remove(name)).ifPresent(ServerDaemon::close);
    }

    /** Creates the table once this many servers are registered, and waits until clients have its map. */
    void createTable(int actors, int rf, int serversWanted) {
        await().atMost(30, TimeUnit.SECONDS).until(() -> routing.servers().size() >= serversWanted);
        TableMeta meta = new TableMeta(
                TABLE,
                0,
                new Partitioner.Hash(actors),
                "id",
                ConsistencyLevel.EVENTUAL,
                rf,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
        AdminReply created = outcome(done -> new AdminClient(channels, identity, loop)
                .call(coordinator.address, new AdminRequest.CreateTable(meta), 30 * SECOND, done));
        assert created != null;
        await().until(() -> !routing.tables().isEmpty());
    }

    TableRoute table() {
        return routing.tables().get(0);
    }

    Address address(ServerId server) {
        return find(server).orElseThrow();
    }

    /** The address of a server that is registered now. */
    private Optional<Address> find(ServerId server) {
        return routing.servers().stream()
                .filter(record -> record.id().equals(server))
                .map(ServerRecord::address)
                .findFirst();
    }

    /** Puts documents k(from) to k(to-1) at level ISR, each at its primary, and retries until all are acknowledged. */
    void put(int from, int to) {
        Map<Integer, List<Document>> byActor = new TreeMap<>();
        for (int i = from; i < to; i++) {
            Document document = new Document("id", Map.of("id", "k" + i, "n", (long) i));
            int actor = table().meta().partitioner().actorOf(document.partitionKey());
            byActor.computeIfAbsent(actor, unused -> new ArrayList<>()).add(document);
        }
        byActor.forEach((actor, documents) -> {
            RequestId id = new RequestId(1, 2, ++sequence);
            await().atMost(30, TimeUnit.SECONDS)
                    .ignoreExceptionsInstanceOf(UniserveException.class)
                    .until(() -> tryPut(id, actor, documents));
        });
    }

    private boolean tryPut(RequestId id, int actor, List<Document> documents) {
        ActorState state = table().map().actors().get(actor);
        UpdateRequest request = new UpdateRequest(
                TABLE,
                table().meta().tableId(),
                id,
                0,
                0,
                AckLevel.ISR,
                "kv.put@1",
                List.of(new UpdateRequest.ActorRows(
                        actor, state.epoch(), Codecs.list(Document.CODEC).encode(documents))),
                3 * SECOND);
        Optional<Address> primary = find(state.primary());
        if (primary.isEmpty()) {
            return false; // its session has ended, and it registers again
        }
        UpdateReply reply = outcome(done ->
                new GrpcClientNetwork(channels, identity, loop).update(primary.get(), request, 5 * SECOND, done));
        return reply.failures().isEmpty();
    }

    /** Sends a query to any live server, which plans and answers it. */
    Answer query(String text) {
        return query(routing.servers().get(0).address(), text);
    }

    Answer query(Address server, String text) {
        return query(server, text, 20 * SECOND);
    }

    Answer query(Address server, String text, long nanos) {
        return outcome(done -> {
            var unused = new GrpcClientNetwork(channels, identity, loop)
                    .query(server, new QueryRequest(TABLE, text, nanos), nanos, done);
        });
    }

    int liveServers() {
        return routing.servers().size();
    }

    static <T> T outcome(Consumer<Completion<T>> operation) {
        CompletableFuture<Outcome<T>> future = new CompletableFuture<>();
        operation.accept(future::complete);
        Outcome<T> outcome = future.orTimeout(60, TimeUnit.SECONDS).join();
        if (outcome instanceof Outcome.Err<T> failed) {
            throw failed.error();
        }
        return ((Outcome.Ok<T>) outcome).value();
    }

    /** Idempotent. */
    @Override
    public void close() {
        watcher.close();
        List.copyOf(servers.values()).forEach(ServerDaemon::close);
        servers.clear();
        coordinator.close();
        channels.close();
        loop.close();
        zookeeper.close();
    }
}
