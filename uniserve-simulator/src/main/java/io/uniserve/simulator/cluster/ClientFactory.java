package io.uniserve.simulator.cluster;

import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.routing.ClientState;
import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.protocol.client.routing.RoutingPolicy;
import io.uniserve.protocol.client.transaction.ConsistentSnapshotClient;
import io.uniserve.protocol.client.transaction.SnapshotReadClient;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.simulator.check.AtomicHistory;
import io.uniserve.simulator.check.ClientHistory;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.plant.NoDeduplicationBug;
import io.uniserve.simulator.plant.OneRoundBug;
import io.uniserve.simulator.plant.OpenVersionsAcceptedBug;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.plant.SnapshotPerTableBug;
import io.uniserve.simulator.plant.UnversionedShuffleBug;
import io.uniserve.simulator.plant.chunk.SnapshotByPlaceBug;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.AnyManagerNetwork;
import io.uniserve.simulator.workload.AtomicClient;
import io.uniserve.simulator.workload.ClientPool;
import io.uniserve.simulator.workload.ClientProcess;
import io.uniserve.simulator.workload.OperationCounters;
import io.uniserve.simulator.workload.ShuffleWorkload;
import io.uniserve.simulator.workload.SimClient;
import io.uniserve.simulator.workload.SimRoutingView;
import io.uniserve.simulator.workload.TableCleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** Factory of the clients' processes. */
public final class ClientFactory {
    private final SimulationContext world;
    private final Scenario scenario;
    private final ActorKeys keys;
    private final ClientHistory history;
    private final AtomicHistory atomicHistory;
    private final OperationCounters operationCounters;
    private final Map<String, SimRoutingView> feeds = new TreeMap<>();

    public ClientFactory(
            SimulationContext world,
            Scenario scenario,
            ActorKeys keys,
            ClientHistory history,
            AtomicHistory atomicHistory,
            OperationCounters operationCounters) {
        this.world = world;
        this.scenario = scenario;
        this.keys = keys;
        this.history = history;
        this.atomicHistory = atomicHistory;
        this.operationCounters = operationCounters;
    }

    /** All clients; they send nothing yet. */
    public ClientPool clientPool(Prng random) {
        List<ClientProcess> clients = new ArrayList<>();
        for (int i = 1; i <= scenario.clients(); i++) {
            clients.add(client("k" + i));
        }
        return new ClientPool(world.queue, random, scenario.operationMillisMean(), clients, this::client);
    }

    /** Workload of a table that is created and dropped again and again, with a client of its own. */
    public TableLifecycleWorkload sideTable(SimCluster cluster, Prng random) {
        SimProcess process = world.process("x1");
        process.start(0);
        return new TableLifecycleWorkload(
                world, cluster, scenario.rf(), environment(process, world.ids(process)), random);
    }

    /** Workload of a table that is partitioned by time, with two clients of its own. */
    public TimeTableWorkload timeTable(SimCluster cluster, Prng random) {
        List<ClientContext> own = new ArrayList<>();
        for (String name : List.of("z1", "z2")) {
            SimProcess process = world.process(name);
            process.start(0);
            own.add(environment(process, world.ids(process)));
        }
        return new TimeTableWorkload(world, cluster, scenario.rf(), own, random);
    }

    /** Workload of two atomic tables that are partitioned by time, with three clients of its own. */
    public AtomicTimeWorkload atomicTime(SimCluster cluster, Prng random) {
        AtomicTimeWorkload workload = new AtomicTimeWorkload(world, cluster, scenario, random);
        for (String name : List.of("z1", "z2", "z3")) {
            SimProcess process = world.process(name);
            process.start(0);
            ClientContext own = environment(process, world.ids(process));
            ClientContext env = name.equals("z3") ? withAnyManager(own, cluster, random.fork("managers")) : own;
            ConsistentSnapshotClient wire = world.network.consistentCutNetwork(process);
            workload.add(new AtomicTimeClient(
                    name,
                    workload,
                    world,
                    env,
                    world.network.versionedNetwork(process),
                    world.plant == Plant.SNAPSHOT_BY_PLACE ? new SnapshotByPlaceBug(wire, env.routing()) : wire,
                    new LossyLeaderCall(world, cluster, random)::send,
                    world.level() == ConsistencyLevel.FULLY_SERIALIZABLE,
                    random.fork(name)));
        }
        workload.holdMapsOf(Objects.requireNonNull(feeds.get("z2")));
        return workload;
    }

    private static ClientContext withAnyManager(ClientContext env, SimCluster cluster, Prng random) {
        List<Address> servers =
                cluster.servers().stream().map(ServerNode::address).toList();
        return new ClientContext(
                env.clock(),
                env.timers(),
                new AnyManagerNetwork(env.network(), servers, random),
                env.routing(),
                env.ids(),
                env.state());
    }

    /** Workload of two tables that are read at one snapshot, with a client of its own. */
    public LedgerWorkload ledger(SimCluster cluster, Prng random) {
        SimProcess process = world.process("y1");
        process.start(0);
        ConsistentSnapshotClient wire = world.network.consistentCutNetwork(process);
        return new LedgerWorkload(
                world,
                cluster,
                scenario.rf(),
                environment(process, world.ids(process)),
                world.network.versionedNetwork(process),
                world.plant == Plant.CUT_APART ? new SnapshotPerTableBug(wire) : wire,
                random);
    }

    /** Client that deletes the rows that other clients wrote. */
    public TableCleaner tableCleaner() {
        SimProcess process = world.process("e1");
        process.start(0);
        return new TableCleaner(
                environment(process, world.ids(process)),
                world.network.consistentCutNetwork(process),
                keys,
                world.workload);
    }

    /** Feeds of routing maps per client, also of crashed ones. */
    public Map<String, SimRoutingView> feeds() {
        return feeds;
    }

    private ClientProcess client(String name) {
        SimProcess process = world.process(name);
        process.start(0);
        if (world.workload.isAtomic()) {
            return atomicClient(name, process);
        }
        ClientContext env = environment(process, world.ids(process));
        return new SimClient(
                name,
                world.queue,
                world.random.fork("client " + name).fork("choices"),
                env,
                shuffles(env, process, world.network.versionedNetwork(process)),
                () -> crash(process),
                SimulationContext.TABLE,
                keys,
                history,
                world.violations,
                world.trace,
                operationCounters);
    }

    private ClientProcess atomicClient(String name, SimProcess process) {
        SnapshotReadClient wire = world.network.versionedNetwork(process);
        SnapshotReadClient versions = switch (world.plant) {
            case ONE_ROUND -> new OneRoundBug(wire);
            case OPEN_TAKEN -> new OpenVersionsAcceptedBug(wire);
            default -> wire;
        };
        ClientContext env = environment(process, world.ids(process));
        return new AtomicClient(
                name,
                world.queue,
                world.random.fork("client " + name).fork("choices"),
                env,
                shuffles(
                        env,
                        process,
                        world.plant == Plant.UNVERSIONED_SHUFFLE ? new UnversionedShuffleBug(versions) : versions),
                versions,
                world.network.consistentCutNetwork(process),
                world.level() == ConsistencyLevel.FULLY_SERIALIZABLE,
                () -> crash(process),
                SimulationContext.TABLE,
                keys,
                atomicHistory,
                world.trace,
                operationCounters);
    }

    private ShuffleWorkload shuffles(ClientContext env, SimProcess process, SnapshotReadClient versions) {
        return new ShuffleWorkload(
                env,
                versions,
                world.network.consistentCutNetwork(process),
                world.network.network(process),
                world.workload.isAtomic(),
                SimulationContext.TABLE,
                keys,
                world.violations,
                world.faultIntensity);
    }

    private void crash(SimProcess process) {
        process.crash();
        world.network.onCrash(process);
    }

    private ClientContext environment(SimProcess process, IdGenerator ids) {
        ClientNetwork wire = world.network.clientNetwork(process);
        ClientNetwork network = world.plant == Plant.NO_DEDUPLICATION ? new NoDeduplicationBug(wire, ids) : wire;
        Prng random = world.random.fork("client " + process.name());
        SimRoutingView feed = new SimRoutingView(world.ensemble, process, random.fork("routing"));
        feeds.put(process.name(), feed);
        return new ClientContext(
                process.clock(),
                process.timers(),
                network,
                feed,
                ids,
                ClientState.of(RequestSettings.defaults(), RoutingPolicy.weighted()));
    }
}
