package io.uniserve.protocol.coordinator.context;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.HottestFirstPolicy;
import io.uniserve.placement.InitialPlacementPolicy;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.coordinator.TestingServer;
import io.uniserve.protocol.coordinator.rebalance.ChunkSetup;
import io.uniserve.protocol.coordinator.rebalance.RebalanceConfig;
import io.uniserve.protocol.coordinator.rebalance.RebalanceSetup;
import io.uniserve.protocol.coordinator.rebalance.ReplicationSetup;
import io.uniserve.protocol.coordinator.scaling.ScalingSetup;
import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import io.uniserve.protocol.testing.TestingRegistry;
import io.uniserve.protocol.testing.TestingStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Coordinators and scripted servers with one registry, in virtual time. */
public final class TestingCluster {
    public static final long SECOND = 1_000_000_000L;
    public static final long MILLI = 1_000_000L;

    /** Levels that the port of servers started later offers. */
    public Set<ConsistencyLevel> levels = Set.of(ConsistencyLevel.EVENTUAL);

    public final TestingLoop loop = new TestingLoop();
    public final TestingStore store = new TestingStore();
    public final TestingNetwork network = new TestingNetwork(loop);
    public final Map<String, TestingServer> servers = new TreeMap<>();
    /** Cost of the queries per actor, over all its replicas. Servers report it. */
    public final Map<Integer, Double> costs = new TreeMap<>();

    public RebalanceConfig rebalance = RebalanceConfig.off();
    /** Restore delay instead of the default, if more than 0. */
    public long restoreDelayNanos;

    public RebalancePolicy policy = new HottestFirstPolicy(0.2, 64);

    /** Automatic copies of coordinators that start later. */
    public ReplicationSetup copies = ReplicationSetup.off();

    /** Placement of chunks of coordinators that start later. */
    public Optional<ChunkSetup> chunks = Optional.empty();

    /** Auto-scaler of coordinators that start later; gets the coordinator's timers. */
    public Optional<Function<Timers, ScalingSetup>> scaling = Optional.empty();

    /** CPU time of queries and updates of a server, in milliseconds per second; -1 for a server that does not report it. */
    public ToDoubleFunction<ServerId> servingCpu = server -> -1;

    /** Bytes of a replica in the servers' reports. */
    public long replicaBytes;

    /** Last index of actor 0 in the servers' reports. */
    public long lastIndex;

    private long ids;

    /** A started coordinator with its own session. */
    public Node coordinator(String name) {
        TestingRegistry registry = new TestingRegistry(loop, store);
        Environment env = environment(registry);
        Address address = new Address(name, 7000);
        CoordinatorEnvironment parts = CoordinatorEnvironment.of(env);
        RebalanceSetup rebalanceSetup =
                new RebalanceSetup(rebalance, policy, copies, chunks, BackgroundExecutor.on(parts.timers()));
        RebalanceSetup whole = scaling.map(make -> rebalanceSetup.with(make.apply(parts.timers())))
                .orElse(rebalanceSetup);
        CoordinatorConfig config = config(CoordinatorConfig.defaults(name, address, "test"));
        Node node = new Node(
                new CoordinatorStateMachine(config, parts, new InitialPlacementPolicy(), whole), registry, address);
        network.serve(address, node.machine::onPeer);
        node.machine.start();
        return node;
    }

    private CoordinatorConfig config(CoordinatorConfig usual) {
        return new CoordinatorConfig(
                usual.id(),
                usual.address(),
                usual.clusterId(),
                usual.tickNanos(),
                usual.pingNanos(),
                usual.pingTimeoutNanos(),
                usual.failedPings(),
                usual.suspicionNanos(),
                usual.startGraceNanos(),
                restoreDelayNanos > 0 ? restoreDelayNanos : usual.restoreDelayNanos(),
                usual.lossGraceNanos(),
                usual.createTimeoutNanos(),
                usual.rpcTimeoutNanos(),
                usual.learnersPerServer(),
                usual.levels(),
                usual.closed());
    }

    @SuppressWarnings("NullAway")
    private Environment environment(TestingRegistry registry) {
        return new Environment(loop, loop, network, registry, null, null, null, () -> ids++);
    }

    /** A leading coordinator and this many servers s1, s2, ... each in a zone of its own. */
    public Node leading(int count) {
        for (int i = 1; i <= count; i++) {
            server("s" + i).start();
        }
        Node node = coordinator("c1");
        loop.run(100 * MILLI);
        assertThat(node.machine.isLeader()).isTrue();
        return node;
    }

    public TestingServer server(String name) {
        return servers.computeIfAbsent(name, n -> new TestingServer(this, n, "zone-" + n));
    }

    public static TableMeta table(String name, int actors, int rf) {
        return new TableMeta(
                new TableName(name),
                0,
                new Partitioner.Hash(actors),
                "id",
                ConsistencyLevel.EVENTUAL,
                rf,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of());
    }

    public static TableMeta onLoss(TableMeta meta, OnLoss onLoss) {
        return new TableMeta(
                meta.name(),
                0,
                meta.partitioner(),
                meta.keyField(),
                meta.level(),
                meta.rf(),
                meta.minIsr(),
                onLoss,
                meta.port(),
                meta.options());
    }

    public void create(Node node, TableMeta meta) {
        assertThat(admin(node, new AdminRequest.CreateTable(meta))).isEqualTo(new AdminReply.Ack());
    }

    /** Sends the request and runs until the answer. */
    public AdminReply admin(Node node, AdminRequest request) {
        Outcome<AdminReply> outcome = outcome(node, request);
        if (outcome instanceof Outcome.Ok<AdminReply> ok) {
            return ok.value();
        }
        throw ((Outcome.Err<AdminReply>) outcome).error();
    }

    public UniserveException refused(Node node, AdminRequest request) {
        Outcome<AdminReply> outcome = outcome(node, request);
        assertThat(outcome).isInstanceOf(Outcome.Err.class);
        return ((Outcome.Err<AdminReply>) outcome).error();
    }

    private Outcome<AdminReply> outcome(Node node, AdminRequest request) {
        List<Outcome<AdminReply>> answers = new ArrayList<>();
        node.machine.onAdmin(request, answers::add);
        assertThat(loop.runUntil(() -> !answers.isEmpty(), 60 * SECOND))
                .as("an answer to %s", request)
                .isTrue();
        return answers.get(0);
    }

    public void peer(Node node, PeerRequest request) {
        List<Outcome<PeerReply>> answers = new ArrayList<>();
        node.machine.onPeer(request, answers::add);
        loop.run(50 * MILLI);
        if (request instanceof PeerRequest.Draining) {
            assertThat(answers)
                    .singleElement()
                    .isInstanceOfSatisfying(
                            Outcome.Ok.class, ok -> assertThat(ok.value()).isInstanceOf(PeerReply.DrainReply.class));
        } else {
            assertThat(answers).containsExactly(Outcome.ok(new PeerReply.Ack()));
        }
    }

    /** The certificate that the primary reports once the learner has all entries. */
    public PeerRequest.LearnerCaughtUp certified(String table, int actor, ServerId learner) {
        ActorState state = actor(table, actor);
        return new PeerRequest.LearnerCaughtUp(
                key(table, actor),
                state.epoch(),
                state.primary(),
                learner,
                server(learner.value()).incarnation());
    }

    /** Sends the certificate of the actor's first learner. */
    public void certify(Node node, String table, int actor) {
        ActorState state = actor(table, actor);
        ServerId learner = state.learners().get(0);
        peer(node, certified(table, actor, learner));
    }

    /** Sends the primary's hand-over: these replicas have all entries, and it accepts no more updates. */
    public void handOver(Node node, String table, int actor, ServerId... successors) {
        ActorState state = actor(table, actor);
        peer(
                node,
                new PeerRequest.PrimaryTransferReady(
                        key(table, actor), state.epoch(), state.primary(), List.of(successors)));
    }

    public TableMap map(String table) {
        TableMap map = (TableMap) store.value(RegistryPaths.map(new TableName(table)));
        assertThat(map).as("map of %s", table).isNotNull();
        return java.util.Objects.requireNonNull(map);
    }

    public ActorState actor(String table, int actor) {
        return map(table).actors().get(actor);
    }

    public ReplicaKey key(String table, int actor) {
        return new ReplicaKey(map(table).tableId(), actor);
    }

    public static ServerId id(String name) {
        return new ServerId(name);
    }

    /** Coordinator with its session. */
    public record Node(CoordinatorStateMachine machine, TestingRegistry registry, Address address) {}
}
