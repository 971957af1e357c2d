package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.Durability;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.CoordinatorStateMachine;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.scaling.ScalingCheck;
import io.uniserve.simulator.scaling.ScalingLoad;
import io.uniserve.simulator.scaling.ServerFleet;
import io.uniserve.simulator.scaling.SimServerProvider;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** All daemons of a simulated cluster with one table. */
public final class SimCluster {
    private static final long CREATE_RETRY_NANOS = 500_000_000;
    private static final long LATE_NANOS_MAX = 40_000_000_000L;

    private final SimulationContext world;
    private final Prng random;
    private final Scenario scenario;
    private final List<ServerNode> servers = new ArrayList<>();
    private final List<CoordinatorNode> coordinators = new ArrayList<>();
    private final @Nullable SimulatedDaemon lateNode;
    private final ReplicaDigestCheck digests;
    private final List<ServerNode> retired = new ArrayList<>();
    private @Nullable SimServerProvider provider;
    private @Nullable ScalingCheck scalingCheck;

    public SimCluster(SimulationContext world, Scenario scenario) {
        this.world = world;
        this.random = world.random.fork("cluster");
        this.scenario = scenario;
        for (int i = 1; i <= scenario.servers(); i++) {
            servers.add(new ServerNode(world, i));
        }
        for (int i = 1; i <= scenario.coordinators(); i++) {
            coordinators.add(new CoordinatorNode(world, i));
        }
        lateNode = drawLateNode();
        digests = new ReplicaDigestCheck(world, this::node);
        InDoubtProbe looks = new InDoubtProbe(world, this::node);
        world.addPeriodicCheck(() -> {
            List<TableRoute> tables = SimRoutingView.routing(world.ensemble, world.ensemble.zxid())
                    .tables();
            world.inDoubtCheck.record(world.queue.now(), looks.versionsInDoubt(tables));
            digests.checkOne(tables);
        });
        if (world.plant == Plant.LEARNER_EARLY) {
            world.ensemble.addListener((session, zxid, applied, changed) -> certifyEarly());
        }
    }

    /** Adds an auto-scaler, whose servers come and go. To be called before the start. */
    public void scale(Prng own) {
        ScalingCheck check = new ScalingCheck(world.ensemble, world.violations);
        SimServerProvider made = new SimServerProvider(
                world.queue, world.trace, own.fork("provider"), world.plant, new LaunchedServers(), check);
        provider = made;
        scalingCheck = check;
        world.scalingLoad = new ScalingLoad(world.queue, own.fork("load"), made, scenario.servers(), () -> (int)
                servers.stream().filter(server -> server.process().alive()).count());
    }

    /** Servers that the auto-scaler launches and terminates. */
    private final class LaunchedServers implements ServerFleet {
        @Override
        public void launch(ServerId id) {
            if (servers.stream().noneMatch(server -> server.id().equals(id))) {
                ServerNode server = new ServerNode(world, servers.size() + retired.size() + 1, id);
                servers.add(server);
                world.faultIntensity.count(Fault.SERVER_LAUNCHED);
                start(server);
            }
        }

        @Override
        public void terminate(ServerId id) {
            servers.stream()
                    .filter(server -> server.id().equals(id))
                    .findFirst()
                    .ifPresent(server -> {
                        server.retire();
                        servers.remove(server);
                        retired.add(server);
                        world.faultIntensity.count(Fault.SERVER_TERMINATED);
                    });
        }
    }

    /** Reason why the auto-scaler has not come to rest; empty if it has, or without one. */
    public Optional<String> unfinishedScaling() {
        SimServerProvider present = provider;
        return present == null || scalingCheck == null ? Optional.empty() : scalingCheck.unfinished(present);
    }

    /** Starts every daemon except the server that joins late, if there is one. */
    public void start() {
        nodes().stream().filter(node -> node != lateNode).forEach(this::start);
    }

    /** With rebalancing, and more servers than replicas per actor, the last server joins late in two thirds of the seeds. */
    private @Nullable SimulatedDaemon drawLateNode() {
        boolean spare = scenario.servers() > scenario.rf();
        return world.hotSpotLoad != null
                        && spare
                        && world.random.fork("latecomer").below(3) > 0
                ? servers.get(servers.size() - 1)
                : null;
    }

    /** Schedules the start of the server that joins late. */
    public void scheduleLateNode() {
        SimulatedDaemon late = lateNode;
        if (late != null) {
            long after = world.random.fork("lateness").between(CREATE_RETRY_NANOS, LATE_NANOS_MAX);
            world.queue.after(after, () -> {
                if (!late.process().alive() && late.session() == null) {
                    world.faultIntensity.count(Fault.SERVER_JOINED);
                    start(late);
                }
            });
        }
    }

    /** Keeps the loads from now on, so that rebalancing ends. */
    public void freezeLoads() {
        if (world.hotSpotLoad != null) {
            world.hotSpotLoad.freezeHotSpots();
        }
        if (world.scalingLoad != null) {
            world.scalingLoad.freeze();
        }
    }

    /**
     * Reason why rebalancing has not ended: an actor that is not on its desired servers. Empty once it has ended, or without rebalancing.
     */
    public Optional<String> unfinishedMove(IntPredicate which) {
        if (world.hotSpotLoad == null) {
            return Optional.empty();
        }
        return route().stream()
                .flatMap(route -> route.map().actors().stream())
                .filter(actor -> which.test(actor.actor()))
                .filter(actor -> actor.isr().size() != actor.desiredServers().size()
                        || !actor.isr().containsAll(actor.desiredServers()))
                .map(actor ->
                        "actor " + actor.actor() + " is on " + actor.isr() + ", desired " + actor.desiredServers())
                .findFirst();
    }

    /** An actor that still has automatic copies; empty if there is none. */
    public Optional<String> automaticCopies(IntPredicate which) {
        return route().stream()
                .flatMap(route -> route.map().actors().stream())
                .filter(actor -> which.test(actor.actor()) && actor.automaticCopies() > 0)
                .map(actor -> "cold actor " + actor.actor() + " has " + actor.automaticCopies() + " automatic copies")
                .findFirst();
    }

    /** Starts a daemon with a clock of its own rate. */
    public void start(SimulatedDaemon node) {
        node.start(random.between(-SimProcess.DRIFT_PER_MILLION_MAX, SimProcess.DRIFT_PER_MILLION_MAX));
        world.trace.line("start " + node.process().name());
    }

    public List<ServerNode> servers() {
        return servers;
    }

    /** Coordinators, then servers. */
    public List<SimulatedDaemon> nodes() {
        List<SimulatedDaemon> nodes = new ArrayList<>(coordinators);
        nodes.addAll(servers);
        return nodes;
    }

    /** The partitioner of the table. */
    public Partitioner partitioner() {
        return new Partitioner.Hash(scenario.actors());
    }

    /** Sends the leader requests to create the table until it exists. */
    public void createTable() {
        if (route().isPresent()) {
            return;
        }
        TableMeta meta = new TableMeta(
                        SimulationContext.TABLE,
                        0,
                        partitioner(),
                        ActorKeys.KEY_FIELD,
                        world.level(),
                        scenario.rf(),
                        scenario.minIsr(),
                        scenario.onLoss(),
                        KvEngine.NAME,
                        Map.of())
                .with(scenario.durability());
        leader().ifPresent(leader -> leader.onAdmin(new AdminRequest.CreateTable(meta), outcome -> {
            String end =
                    outcome instanceof Outcome.Err<?> err ? err.error().code().name() : "ok";
            world.trace.line("create table " + end);
        }));
        world.queue.after(CREATE_RETRY_NANOS * 10, this::createTable);
    }

    /** True when a leader is elected and has all servers in its map. */
    public boolean ready() {
        return leader().flatMap(CoordinatorStateMachine::routing)
                .filter(routing -> routing.servers().size() == scenario.servers() - (lateNode == null ? 0 : 1))
                .isPresent();
    }

    /** The coordinator that leads, if there is one. */
    Optional<CoordinatorStateMachine> leader() {
        for (CoordinatorNode node : coordinators) {
            CoordinatorStateMachine machine = node.machine();
            if (machine != null && node.process().alive() && machine.isLeader()) {
                return Optional.of(machine);
            }
        }
        return Optional.empty();
    }

    /** The table's definition and map in the registry. */
    public Optional<TableRoute> route() {
        return route(SimulationContext.TABLE);
    }

    /** The same of another table. */
    public Optional<TableRoute> route(TableName name) {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .filter(route -> route.meta().name().equals(name))
                .findFirst();
    }

    /** Number of replicas per actor. */
    public int rf() {
        return scenario.rf();
    }

    /** True for durability REMOTE: every acknowledged update is in durable storage. */
    public boolean remote() {
        return scenario.durability() == Durability.REMOTE;
    }

    /**
     * True if the actor's backup is complete now, according to the registry. Durable storage then has every entry that the primary ever
     * logged, or, with durability REMOTE, every acknowledged entry.
     */
    public boolean backupComplete(ReplicaKey key) {
        BackupRecord record = backup(key);
        return record != null && (record.clean() || remote());
    }

    /** The actor's backup record in the registry; null if there is none. */
    public @Nullable BackupRecord backup(ReplicaKey key) {
        return world.ensemble
                                .read(RegistryPaths.backup(SimulationContext.TABLE, key), world.ensemble.zxid())
                                .value()
                        instanceof BackupRecord record
                ? record
                : null;
    }

    /** Reason why updates have not ended: a version of the atomic table in flight. Empty if there is none. */
    public Optional<String> unfinishedUpdate() {
        long tableId = route().map(route -> route.meta().tableId()).orElse(0L);
        return world.ensemble
                                        .read(
                                                RegistryPaths.log(SimulationContext.TABLE, tableId),
                                                world.ensemble.zxid())
                                        .value()
                                instanceof TransactionLogState log
                        && log.inFlight() != null
                ? Optional.of("version " + log.inFlight().version() + " is in flight")
                : Optional.empty();
    }

    /** State of exchanges that a server still keeps; empty if there is none. */
    public Optional<String> exchangeRemains() {
        return servers.stream()
                .flatMap(server -> server.exchangeRemains().stream())
                .findFirst();
    }

    /** Reason why the replicas have not converged: empty when every actor has all replicas, in sync and equal. */
    public Optional<String> divergence() {
        return divergence(actor -> true);
    }

    /** The same for some of the actors. */
    public Optional<String> divergence(IntPredicate which) {
        Optional<TableRoute> route = route();
        if (route.isEmpty()) {
            return Optional.of("there is no table");
        }
        for (ActorState actor : route.get().map().actors()) {
            ReplicaKey key = new ReplicaKey(route.get().meta().tableId(), actor.actor());
            if (!which.test(actor.actor())) {
                continue;
            }
            if (actor.isr().size() < scenario.rf() || !actor.learners().isEmpty()) {
                return Optional.of(key + " has ISR " + actor.isr() + ", learners " + actor.learners() + " in epoch "
                        + actor.epoch());
            }
            Optional<String> why = divergence(key, actor);
            if (why.isPresent()) {
                return why;
            }
        }
        return Optional.empty();
    }

    private Optional<String> divergence(ReplicaKey key, ActorState actor) {
        ReadGate first = null;
        for (ServerId member : actor.isr()) {
            ReadGate gate = node(member).gate(key);
            if (gate == null || gate.epoch() != actor.epoch() || !gate.serving()) {
                return Optional.of(key + " on " + member + " has gate " + gate + ", map says epoch " + actor.epoch());
            }
            if (gate.inDoubtVersion() != 0) {
                return Optional.of(key + " on " + member + " is in doubt about version " + gate.inDoubtVersion());
            }
            if (first != null && gate.appliedIndex() != first.appliedIndex()) {
                return Optional.of(
                        key + " has applied " + first.appliedIndex() + " and on " + member + " " + gate.appliedIndex());
            }
            first = gate;
        }
        return Optional.empty();
    }

    /** Checks I10 for these actors, which have converged. */
    public void compareDigests(IntPredicate which) {
        TableRoute route = route().orElseThrow();
        route.map().actors().stream()
                .filter(actor -> which.test(actor.actor()))
                .forEach(actor -> digests.compareAll(route.meta().tableId(), actor));
    }

    /** True if the actor's primary, of any table, answers reads. */
    boolean isServing(ActorState actor, long tableId) {
        ReadGate gate = node(actor.primary()).gate(new ReplicaKey(tableId, actor.actor()));
        return gate != null && gate.epoch() == actor.epoch() && gate.serving();
    }

    /** True if the primaries of all actors of the table answer reads. */
    public boolean isServing() {
        return route().stream()
                .allMatch(route -> route.map().actors().stream()
                        .allMatch(actor -> isServing(actor, route.meta().tableId())));
    }

    /** The documents of the actor on its primary. */
    public List<Document> documents(ActorState actor, long tableId) {
        return node(actor.primary()).documents(new ReplicaKey(tableId, actor.actor()));
    }

    private ServerNode node(ServerId id) {
        return Stream.concat(servers.stream(), retired.stream())
                .filter(server -> server.id().equals(id))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid("no server " + id));
    }

    private void certifyEarly() {
        Map<ServerId, Long> incarnations =
                SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).servers().stream()
                        .collect(Collectors.toMap(ServerRecord::id, ServerRecord::incarnation));
        route().ifPresent(route -> route.map()
                .actors()
                .forEach(actor -> actor.learners().forEach(learner -> {
                    ReplicaKey key = new ReplicaKey(route.meta().tableId(), actor.actor());
                    PeerRequest early = new PeerRequest.LearnerCaughtUp(
                            key, actor.epoch(), actor.primary(), learner, incarnations.getOrDefault(learner, 0L));
                    for (CoordinatorNode coordinator : coordinators) {
                        CoordinatorStateMachine machine = coordinator.machine();
                        if (machine != null) {
                            coordinator.process().post(1_000_000, () -> machine.onPeer(early, outcome -> {}));
                        }
                    }
                })));
    }
}
