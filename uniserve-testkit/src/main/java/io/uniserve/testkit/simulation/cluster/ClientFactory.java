package io.uniserve.testkit.simulation.cluster;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.protocol.env.ClientNetwork;
import io.uniserve.protocol.env.Ids;
import io.uniserve.protocol.reader.ClientContext;
import io.uniserve.protocol.reader.ClientState;
import io.uniserve.protocol.reader.RequestSettings;
import io.uniserve.protocol.reader.RoutingPolicy;
import io.uniserve.protocol.tx.ConsistentCutClient;
import io.uniserve.protocol.tx.SnapshotReadClient;
import io.uniserve.testkit.simulation.check.AtomicHistory;
import io.uniserve.testkit.simulation.check.ClientHistory;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.kernel.Process;
import io.uniserve.testkit.simulation.plant.CutApartBug;
import io.uniserve.testkit.simulation.plant.NoDeduplicationBug;
import io.uniserve.testkit.simulation.plant.OneRoundBug;
import io.uniserve.testkit.simulation.plant.OpenTakenBug;
import io.uniserve.testkit.simulation.plant.Plant;
import io.uniserve.testkit.simulation.plant.UnversionedShuffleBug;
import io.uniserve.testkit.simulation.workload.ActorKeys;
import io.uniserve.testkit.simulation.workload.AtomicClient;
import io.uniserve.testkit.simulation.workload.ClientPool;
import io.uniserve.testkit.simulation.workload.ClientProcess;
import io.uniserve.testkit.simulation.workload.OperationCounters;
import io.uniserve.testkit.simulation.workload.RoutingFeed;
import io.uniserve.testkit.simulation.workload.Shuffles;
import io.uniserve.testkit.simulation.workload.SimClient;
import io.uniserve.testkit.simulation.workload.TableCleaner;
import io.uniserve.testkit.simulation.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Factory of the clients' processes. */
public final class ClientFactory {
    private final World world;
    private final Scenario scenario;
    private final ActorKeys keys;
    private final ClientHistory history;
    private final AtomicHistory atomicHistory;
    private final OperationCounters operationCounters;
    private final Map<String, RoutingFeed> feeds = new TreeMap<>();

    public ClientFactory(
            World world,
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
    public ClientPool crowd(Prng random) {
        List<ClientProcess> clients = new ArrayList<>();
        for (int i = 1; i <= scenario.clients(); i++) {
            clients.add(client("k" + i));
        }
        return new ClientPool(world.queue, random, scenario.operationMillisMean(), clients, this::client);
    }

    /** Workload of a table that is created and dropped again and again, with a client of its own. */
    public TableLifecycleWorkload sideTable(SimCluster cluster, Prng random) {
        Process process = world.process("x1");
        process.start(0);
        return new TableLifecycleWorkload(
                world, cluster, scenario.rf(), environment(process, world.ids(process)), random);
    }

    /** Workload of two tables that are read at one snapshot, with a client of its own. */
    public LedgerWorkload ledger(SimCluster cluster, Prng random) {
        Process process = world.process("y1");
        process.start(0);
        ConsistentCutClient wire = world.wire.cutNetwork(process);
        return new LedgerWorkload(
                world,
                cluster,
                scenario.rf(),
                environment(process, world.ids(process)),
                world.wire.versionedNetwork(process),
                world.plant == Plant.CUT_APART ? new CutApartBug(wire) : wire,
                random);
    }

    /** Client that deletes the rows that other clients wrote. */
    public TableCleaner eraser() {
        Process process = world.process("e1");
        process.start(0);
        return new TableCleaner(
                environment(process, world.ids(process)), world.wire.cutNetwork(process), keys, world.workload);
    }

    /** Feeds of routing maps per client, also of crashed ones. */
    public Map<String, RoutingFeed> feeds() {
        return feeds;
    }

    private ClientProcess client(String name) {
        Process process = world.process(name);
        process.start(0);
        if (world.workload == Workload.ATOMIC) {
            return atomicClient(name, process);
        }
        ClientContext env = environment(process, world.ids(process));
        return new SimClient(
                name,
                world.queue,
                world.random.fork("client " + name).fork("choices"),
                env,
                shuffles(env, process, world.wire.versionedNetwork(process)),
                () -> crash(process),
                World.TABLE,
                keys,
                history,
                world.violations,
                world.trace,
                operationCounters);
    }

    private ClientProcess atomicClient(String name, Process process) {
        SnapshotReadClient wire = world.wire.versionedNetwork(process);
        SnapshotReadClient versions = switch (world.plant) {
            case ONE_ROUND -> new OneRoundBug(wire);
            case OPEN_TAKEN -> new OpenTakenBug(wire);
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
                world.wire.cutNetwork(process),
                world.level() == ConsistencyLevel.FULLY_SERIALIZABLE,
                () -> crash(process),
                World.TABLE,
                keys,
                atomicHistory,
                world.trace,
                operationCounters);
    }

    private Shuffles shuffles(ClientContext env, Process process, SnapshotReadClient versions) {
        return new Shuffles(
                env,
                versions,
                world.wire.cutNetwork(process),
                world.wire.network(process),
                world.workload == Workload.ATOMIC,
                World.TABLE,
                keys,
                world.violations,
                world.weather);
    }

    private void crash(Process process) {
        process.crash();
        world.wire.crashed(process);
    }

    private ClientContext environment(Process process, Ids ids) {
        ClientNetwork wire = world.wire.clientNetwork(process);
        ClientNetwork network = world.plant == Plant.NO_DEDUPLICATION ? new NoDeduplicationBug(wire, ids) : wire;
        Prng random = world.random.fork("client " + process.name());
        RoutingFeed feed = new RoutingFeed(world.ensemble, process, random.fork("routing"));
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
