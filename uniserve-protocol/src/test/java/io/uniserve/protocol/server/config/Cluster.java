package io.uniserve.protocol.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.RequestId;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.log.LogOptions;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import io.uniserve.protocol.server.Host;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingObjects;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A coordinator and servers with the real machines, in virtual time. */
public final class Cluster {
    public static final long SECOND = 1_000_000_000L;
    public static final TableName T = new TableName("t");
    private static final Set<ConsistencyLevel> LEVELS = Set.of(ConsistencyLevel.values());

    public final TestingLoop loop = new TestingLoop();
    public final TestingStore store = new TestingStore();
    public final TestingNetwork network = new TestingNetwork(loop);
    public final TestingObjects objects = new TestingObjects(loop);
    public final Map<String, Host> servers = new TreeMap<>();
    public long ids;
    /** True: servers started later take durable storage over. */
    public boolean takeOverStore;
    /** Scrub interval of servers started later; 0 for none. */
    public long scrubNanos;
    /** Durability of tables created later. */
    public Durability durability = Durability.LOCAL;
    /** Trash settings of servers started later. */
    public TrashConfig trash = TrashConfig.defaults();

    private long sequence;
    public final CoordinatorStateMachine coordinator;
    public final TestingRegistry coordinatorRegistry;

    private final long checkpointEntries;
    private final LogOptions log;
    /** Engine time-out; 0 for that of production. */
    private final long engineTimeoutNanos;

    public Cluster(int count) {
        this(count, 20_000);
    }

    public Cluster(int count, long checkpointEntries) {
        this(count, checkpointEntries, LogOptions.defaults());
    }

    public Cluster(int count, long checkpointEntries, LogOptions log) {
        this(count, checkpointEntries, log, 0);
    }

    /** A new cluster that has only the durable storage of a lost one, at the same wall time. */
    public static Cluster onStorageOf(Cluster lost, int count, long checkpointEntries) {
        Cluster cluster = new Cluster(count, checkpointEntries);
        cluster.loop.wallStartMillis += lost.loop.wallMillis() - cluster.loop.wallMillis();
        cluster.objects.adopt(lost.objects);
        return cluster;
    }

    public Cluster(int count, long checkpointEntries, LogOptions log, long engineTimeoutNanos) {
        this.engineTimeoutNanos = engineTimeoutNanos;
        this.checkpointEntries = checkpointEntries;
        this.log = log;
        coordinatorRegistry = new TestingRegistry(loop, store);
        coordinator = startCoordinator("c1", coordinatorRegistry);
        for (int i = 1; i <= count; i++) {
            server("s" + i).start();
        }
        loop.run(SECOND / 2);
    }

    @SuppressWarnings("NullAway")
    private CoordinatorStateMachine startCoordinator(String name, TestingRegistry registry) {
        Environment env = new Environment(loop, loop, network, registry, null, null, null, () -> ids++);
        Address address = new Address(name, 7000);
        CoordinatorStateMachine started = new CoordinatorStateMachine(
                CoordinatorConfig.defaults(name, address, "test").withLevels(LEVELS), env);
        network.serve(address, started::onPeer);
        started.start();
        return started;
    }

    /** Starts another coordinator, which leads after the session of the first one ends. */
    public CoordinatorStateMachine standby(String name) {
        return startCoordinator(name, new TestingRegistry(loop, store));
    }

    public Host server(String name) {
        return servers.computeIfAbsent(name, n -> new Host(this, n));
    }

    public Host server(ServerId id) {
        return server(id.value());
    }

    public void create(int actors, int rf, int minIsr, OnLoss onLoss) {
        create(actors, rf, minIsr, onLoss, ConsistencyLevel.EVENTUAL);
    }

    public void create(int actors, int rf, int minIsr, OnLoss onLoss, ConsistencyLevel level) {
        create(T, actors, rf, minIsr, onLoss, level);
    }

    public void create(TableName name, int actors, int rf, int minIsr, OnLoss onLoss, ConsistencyLevel level) {
        create(name, new Partitioner.Hash(actors), rf, minIsr, onLoss, level);
    }

    public void create(
            TableName name, Partitioner partitioner, int rf, int minIsr, OnLoss onLoss, ConsistencyLevel level) {
        TableMeta meta =
                new TableMeta(name, 0, partitioner, "id", level, rf, minIsr, onLoss, "kv", Map.of()).with(durability);
        List<Outcome<AdminReply>> outcome = new ArrayList<>();
        coordinator.onAdmin(new AdminRequest.CreateTable(meta), outcome::add);
        await(() -> !outcome.isEmpty(), 20);
        assertThat(outcome.get(0)).isInstanceOf(Outcome.Ok.class);
    }

    public TableMap map() {
        return map(T);
    }

    public TableMap map(TableName table) {
        if (store.value(RegistryPaths.map(table)) instanceof TableMap map) {
            return map;
        }
        throw new AssertionError("no map");
    }

    /** The node of the transaction log of the table that has this name now. */
    public String logPath(TableName table) {
        return RegistryPaths.log(
                table, store.value(RegistryPaths.map(table)) instanceof TableMap map ? map.tableId() : 0);
    }

    public ActorState actor(int actor) {
        return map().get(actor);
    }

    public ReplicaKey key(int actor) {
        return new ReplicaKey(map().tableId(), actor);
    }

    public Host primary(int actor) {
        return server(actor(actor).primary());
    }

    public BackupRecord backup(int actor) {
        if (store.value(RegistryPaths.backup(T, key(actor))) instanceof BackupRecord record) {
            return record;
        }
        throw new AssertionError("no backup record");
    }

    /** True if the backup has all entries. */
    public boolean clean(int actor) {
        return store.value(RegistryPaths.backup(T, key(actor))) instanceof BackupRecord record && record.clean();
    }

    public void await(BooleanSupplier condition, long seconds) {
        assertThat(loop.runUntil(condition, seconds * SECOND))
                .as("within " + seconds + " s")
                .isTrue();
    }

    /** Sends an update to the primary of actor 0. The list gets the outcome. */
    public List<Outcome<UpdateReply>> send(RequestId id, AckLevel level, String rows) {
        return send(primary(0), actor(0).epoch(), id, level, rows);
    }

    public List<Outcome<UpdateReply>> send(Host to, long epoch, RequestId id, AckLevel level, String rows) {
        return send(0, to, epoch, id, level, rows);
    }

    public List<Outcome<UpdateReply>> send(int actor, Host to, long epoch, RequestId id, AckLevel level, String rows) {
        List<Outcome<UpdateReply>> outcome = new ArrayList<>();
        UpdateRequest request = new UpdateRequest(
                T,
                map().tableId(),
                id,
                0,
                1,
                level,
                "put@1",
                List.of(new UpdateRequest.ActorRows(actor, epoch, Bytes.utf8(rows))),
                5 * SECOND);
        to.machine().onUpdate(request, outcome::add);
        return outcome;
    }

    public RequestId nextId() {
        return new RequestId(1, 1, ++sequence);
    }

    /** Sends an update until it is acknowledged, as a client does. Returns the log index. */
    public long update(AckLevel level, String rows) {
        RequestId id = nextId();
        for (int attempt = 0; attempt < 200; attempt++) {
            List<Outcome<UpdateReply>> outcome = send(id, level, rows);
            await(() -> !outcome.isEmpty(), 10);
            if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                    && !ok.value().acks().isEmpty()) {
                return ok.value().acks().get(0).index();
            }
            loop.run(SECOND / 10);
        }
        throw new AssertionError("not acknowledged: " + rows);
    }

    public ActorFailure failure(List<Outcome<UpdateReply>> outcome) {
        await(() -> !outcome.isEmpty(), 10);
        if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok) {
            return ok.value().failures().get(0);
        }
        throw new AssertionError("failed as a whole: " + outcome.get(0));
    }

    /** The failure of the update's only actor; null if it was acknowledged. */
    @Nullable
    public ActorFailure outcomeOf(List<Outcome<UpdateReply>> outcome) {
        await(() -> !outcome.isEmpty(), 10);
        if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok) {
            return ok.value().failures().isEmpty()
                    ? null
                    : ok.value().failures().get(0);
        }
        throw new AssertionError("failed as a whole: " + outcome.get(0));
    }

    public UpdateReply.ActorAck ack(List<Outcome<UpdateReply>> outcome) {
        await(() -> !outcome.isEmpty(), 10);
        if (outcome.get(0) instanceof Outcome.Ok<UpdateReply> ok
                && !ok.value().acks().isEmpty()) {
            return ok.value().acks().get(0);
        }
        throw new AssertionError("not acknowledged: " + outcome.get(0));
    }

    /** Waits until the actor has this many in-sync replicas, all with the same rows. */
    public void converge(int actor, int isr) {
        await(() -> actor(actor).isr().size() == isr && actor(actor).learners().isEmpty() && same(actor), 60);
    }

    private boolean same(int actor) {
        return actor(actor).isr().stream()
                                .map(id -> server(id).engine().rows(key(actor)))
                                .distinct()
                                .count()
                        == 1
                && actor(actor).isr().stream().allMatch(id -> server(id).serving(key(actor)));
    }

    public ServerConfig config(String name, long incarnation, Address address) {
        PortInfo port = new PortInfo("kv", "1", LEVELS, List.of("kv.get@1"), List.of("put@1"));
        ServerConfig base = ServerConfig.defaults(
                new ServerId(name), incarnation, "test", address, "z", new Capacity(1000, 1, 1), List.of(port));
        ReplicaConfig replicas = base.replicas();
        return new ServerConfig(
                        base.id(),
                        base.incarnation(),
                        base.address(),
                        base.zone(),
                        base.capacity(),
                        base.ports(),
                        new ReplicaConfig(
                                replicas.clusterId(),
                                log,
                                replicas.leaseNanos(),
                                replicas.drift(),
                                replicas.replicateTimeoutNanos(),
                                replicas.retryNanos(),
                                engineTimeoutNanos > 0 ? engineTimeoutNanos : replicas.engineTimeoutNanos(),
                                replicas.learnerTimeoutNanos(),
                                replicas.learnerLagMax(),
                                checkpointEntries,
                                replicas.checkpointBytes(),
                                replicas.shippingNanos()),
                        base.tickNanos(),
                        base.pingNanos(),
                        base.pingTargets(),
                        base.rpcTimeoutNanos(),
                        base.drainTimeoutNanos())
                .withTrash(trash)
                .withTakeOverStore(takeOverStore)
                .withScrubNanos(scrubNanos);
    }
}
