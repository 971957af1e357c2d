package io.uniserve.cli.process;

import io.uniserve.api.Document;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.codec.Codecs;
import io.uniserve.model.AckLevel;
import io.uniserve.model.Address;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.transaction.AtomicUpdateRequest;
import io.uniserve.protocol.client.transaction.SnapshotReadExecution;
import io.uniserve.protocol.client.transaction.VersionWatermarks;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.runtime.loop.EventLoop;
import io.uniserve.runtime.serial.SharedRoutingCache;
import io.uniserve.runtime.time.RandomIdGenerator;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.client.GrpcClientNetwork;
import io.uniserve.runtime.transport.client.RoutingClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The client's own state machines on its own network, for one table with atomic updates. It returns the version of a LINEARIZABLE read,
 * which the client hides, and allows {@link FailPoints} between state machines and network. Thread-safe.
 */
final class MachineClient implements AutoCloseable {
    private static final long KNOWN_NANOS_MAX = 120_000_000_000L;

    private final Clock clock = SystemClock.INSTANCE;
    private final IdGenerator ids = new RandomIdGenerator();
    private final VersionWatermarks floors = new VersionWatermarks();
    private final ChannelPool channels = new ChannelPool(clock, TlsFiles.PLAIN);
    private final TableName table;
    /** Event loop of all state machines and of the routing. */
    private final EventLoop loop;

    private final GrpcClientNetwork network;
    private final RoutingClient routingClient;
    private final SharedRoutingCache routing;
    private final ClientContext env;

    /** Waits until the routing has the table. */
    MachineClient(List<String> bootstrap, String table, UnaryOperator<ClientNetwork> around) {
        this.table = new TableName(table);
        ClusterIdentity cluster = ClusterIdentity.unknown();
        loop = new EventLoop("machine-client", clock, error -> {});
        network = new GrpcClientNetwork(channels, cluster, loop);
        SharedRoutingCache[] shared = new SharedRoutingCache[1];
        routingClient = new RoutingClient(
                bootstrap.stream().map(Address::parse).collect(Collectors.toCollection(LinkedHashSet::new)),
                channels,
                cluster,
                loop,
                clock,
                ids,
                map -> shared[0].accept(map));
        routing = new SharedRoutingCache(routingClient::refresh);
        shared[0] = routing;
        ClientState state = ClientState.of(RequestSettings.defaults(), RoutingPolicy.weighted());
        env = new ClientContext(clock, loop, around.apply(network), routing.viewFor(loop), ids, state);
        long until = clock.nanos() + KNOWN_NANOS_MAX;
        while (routing.current().table(this.table).isEmpty()) {
            if (clock.nanos() > until) {
                throw new IllegalStateException("nobody knows the table " + table);
            }
            CompletableFuture<Outcome<Routing>> asked = new CompletableFuture<>();
            routingClient.refresh(asked::complete);
            asked.join();
        }
    }

    /** Version of the update, and the number of calls to a transaction manager. */
    record Updated(long version, int attempts) {}

    /** Sends an update of these rows under this unused id. */
    Updated update(String function, List<Map<String, Object>> rows, RequestId id, Duration patience) {
        TableRoute route = routing.current().table(table).orElseThrow();
        Update update = new Update(
                table,
                route.meta().tableId(),
                function,
                AckLevel.ISR,
                batches(route, rows),
                clock.nanos() + patience.toNanos());
        CompletableFuture<Outcome<Long>> heard = new CompletableFuture<>();
        AtomicUpdateRequest machine =
                new AtomicUpdateRequest(env, network, floors, update, new FirstTicket(id), heard::complete);
        loop.execute(machine::start);
        return new Updated(orThrow(heard, patience), machine.attempts());
    }

    /**
     * Ticket of the first update of a client number. Its version is committed before it is requested, as with ids that a client assigns.
     */
    private record FirstTicket(RequestId id) implements RequestTracker.Ticket {
        @Override
        public long lowWater() {
            return id.sequence();
        }

        @Override
        public void finish() {
            // ids of a process that sends one update need no tracking
        }
    }

    private static List<Update.ActorBatch> batches(TableRoute route, List<Map<String, Object>> rows) {
        String key = route.meta().keyField();
        Map<Integer, List<Document>> byActor = new TreeMap<>();
        for (Map<String, Object> row : rows) {
            int actor = route.meta().partitioner().actorOf(PartitionKey.of(String.valueOf(row.get(key))));
            byActor.computeIfAbsent(actor, a -> new ArrayList<>()).add(new Document(key, row));
        }
        List<Update.ActorBatch> batches = new ArrayList<>();
        byActor.forEach((actor, documents) -> batches.add(new Update.ActorBatch(
                actor, documents.size(), Codecs.list(Document.CODEC).encode(documents))));
        return batches;
    }

    /** Values of all actors at one version. */
    record Read<V>(long version, List<V> values) {}

    /** Reads all actors in mode LINEARIZABLE. */
    <P, V> Read<V> read(RetrieveCall<P, V> call, P parameters, Duration patience) {
        Query query = new Query(
                table,
                Optional.empty(),
                call.id(),
                call.parameters().encode(parameters),
                ReadMode.LINEARIZABLE,
                clock.nanos() + patience.toNanos());
        CompletableFuture<Outcome<SnapshotReadExecution.Result>> heard = new CompletableFuture<>();
        SnapshotReadExecution machine = new SnapshotReadExecution(env, network, floors, query, heard::complete);
        loop.execute(machine::start);
        SnapshotReadExecution.Result result = orThrow(heard, patience);
        return new Read<>(
                result.version(),
                result.values().values().stream()
                        .map(value -> call.values().decode(value))
                        .toList());
    }

    /** Returns the outcome. A state machine that reports nothing long after its deadline is broken. */
    private static <T> T orThrow(CompletableFuture<Outcome<T>> heard, Duration patience) {
        Outcome<T> outcome =
                heard.orTimeout(2 * patience.toMillis(), TimeUnit.MILLISECONDS).join();
        if (outcome instanceof Outcome.Ok<T> ok) {
            return ok.value();
        }
        throw ((Outcome.Err<T>) outcome).error();
    }

    @Override
    public void close() {
        routingClient.close();
        channels.close();
        loop.close();
    }
}
