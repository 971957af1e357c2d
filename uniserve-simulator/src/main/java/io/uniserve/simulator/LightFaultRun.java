package io.uniserve.simulator;

import io.uniserve.api.EngineInstance;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.simulator.check.AtomicCheck;
import io.uniserve.simulator.check.AtomicHistory;
import io.uniserve.simulator.check.BoundedGrowthCheck;
import io.uniserve.simulator.check.ClientHistory;
import io.uniserve.simulator.check.HistoryCheck;
import io.uniserve.simulator.cluster.ClientFactory;
import io.uniserve.simulator.cluster.Scenario;
import io.uniserve.simulator.cluster.ServerNode;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.fault.FaultPlan;
import io.uniserve.simulator.fault.LargeFaultScheduler;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.ClientPool;
import io.uniserve.simulator.workload.OperationCounters;
import io.uniserve.simulator.workload.TableCleaner;
import io.uniserve.simulator.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Long run of one cluster with few operations and light faults.
 *
 * <p>Every ten minutes all faults end, the history is checked as at the end of a seed, the kept state is measured, and the lists are
 * deleted. The next ten minutes start with the same servers, logs, registry and storage, and an empty table.
 */
final class LightFaultRun {
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR = 3_600 * SECOND;
    private static final long PART_NANOS = 600 * SECOND;
    private static final long HEALED_NANOS_MAX = 60 * SECOND;
    private static final long REST_NANOS = 15 * SECOND;
    private static final long HEAP_ROOM = 8 << 20;

    private final SimulationContext world;
    private final Workload workload;
    private final SimCluster cluster;
    private final ClientPool clientPool;
    private final LargeFaultScheduler disasters;
    private final TableCleaner tableCleaner;
    private final ActorKeys keys;
    private final BoundedGrowthCheck boundedGrowthCheck;
    private final OperationCounters operationCounters = new OperationCounters();
    private final ClientHistory history = new ClientHistory();
    private final AtomicHistory atomicHistory = new AtomicHistory();
    private final @Nullable LongSupplier heap;
    private boolean erased;

    /** @param heap bytes of the heap in use, if no other code runs in the JVM; null for no check */
    LightFaultRun(
            long seed, SimulationOptions options, EngineInstance engine, Path scratch, @Nullable LongSupplier heap) {
        this.heap = heap;
        this.workload = options.workload();
        this.world =
                new SimulationContext(seed, engine, scratch, options.plant(), workload, false, true, options.lines());
        Scenario scenario = Scenario.calm();
        Prng random = new Prng(seed).fork("calm");
        this.cluster = new SimCluster(world, scenario);
        this.keys = new ActorKeys(cluster.partitioner());
        ClientFactory clients = new ClientFactory(world, scenario, keys, history, atomicHistory, operationCounters);
        this.clientPool = clients.clientPool(random.fork("crowd"));
        this.disasters = new LargeFaultScheduler(
                world,
                cluster,
                FaultPlan.light(),
                clientPool,
                clients.sideTable(cluster, random.fork("side")),
                random.fork("disasters"));
        this.tableCleaner = clients.tableCleaner();
        this.boundedGrowthCheck = new BoundedGrowthCheck(world.violations());
    }

    LightFaultReport run(double hours) {
        cluster.start();
        boolean made = world.runUntil(HEALED_NANOS_MAX, cluster::ready);
        cluster.createTable();
        made = made && world.runUntil(HEALED_NANOS_MAX, this::isHealthy);
        if (!made) {
            checkLiveness("no table without faults");
        }
        clientPool.begin();
        disasters.begin();
        while (made && world.violations().total() == 0 && world.queue().now() < hours * HOUR) {
            world.runUntil(PART_NANOS, () -> false);
            made = waitForQuiet();
        }
        return report();
    }

    private boolean waitForQuiet() {
        clientPool.stop();
        disasters.heal();
        if (!world.runUntil(HEALED_NANOS_MAX, () -> clientPool.outstanding() == 0 && isHealthy())) {
            checkLiveness("not at rest " + HEALED_NANOS_MAX / SECOND + " s after the last fault");
            return false;
        }
        runChecks();
        erased = false;
        tableCleaner.deleteAllLists(SimulationContext.TABLE, () -> erased = true);
        if (!world.runUntil(HEALED_NANOS_MAX, () -> erased && isHealthy())) {
            checkLiveness("lists cannot be deleted");
            return false;
        }
        world.runUntil(REST_NANOS, () -> false);
        measure();
        history.clear();
        atomicHistory.clear();
        world.clearHistory();
        clientPool.resume();
        disasters.resume();
        return true;
    }

    private boolean isHealthy() {
        return cluster.divergence()
                .or(cluster::unfinishedUpdate)
                .or(cluster::exchangeRemains)
                .isEmpty();
    }

    private void checkLiveness(String what) {
        Optional<String> why =
                cluster.divergence().or(cluster::unfinishedUpdate).or(cluster::exchangeRemains);
        world.violations()
                .add("LIVE", what + "; " + clientPool.outstanding() + " operations; " + why.orElse("converged"));
    }

    private void runChecks() {
        cluster.compareDigests(actor -> true);
        if (workload.isAtomic()) {
            new AtomicCheck(world.violations(), atomicHistory, finalLists()).run();
        } else {
            new HistoryCheck(world.violations(), history, finalLists(), list -> true).run();
        }
    }

    private Map<Integer, List<String>> finalLists() {
        TableRoute route = cluster.route().orElseThrow();
        Map<Integer, List<String>> lists = new TreeMap<>();
        for (ActorState actor : route.map().actors()) {
            lists.putAll(keys.lists(cluster.documents(actor, route.meta().tableId())));
        }
        return lists;
    }

    private void measure() {
        boolean early = world.queue().now() <= HOUR + PART_NANOS;
        boundedGrowthCheck.record(
                "bytes of logs of a server", perServer(path -> path.contains("/log/")), 16_000, early);
        boundedGrowthCheck.record(
                "bytes of checkpoints of a server", perServer(path -> path.contains("/checkpoint/")), 16_000, early);
        boundedGrowthCheck.record(
                "bytes of remembered requests of a server",
                perServer(path -> path.endsWith("/manifest")),
                8_000,
                early);
        boundedGrowthCheck.record(
                "nodes of the registry", world.ensemble().present().size(), 4, early);
        boundedGrowthCheck.record(
                "characters of the registry's nodes",
                world.ensemble().present().values().stream()
                        .mapToLong(value -> value.toString().length())
                        .sum(),
                4_000,
                early);
        boundedGrowthCheck.record("objects in storage", world.objects().count(), 200, early);
        boundedGrowthCheck.record("bytes in storage", world.objects().bytes(), 64_000, early);
        if (heap != null) {
            boundedGrowthCheck.record("bytes of heap of all processes together", heap.getAsLong(), HEAP_ROOM, early);
        }
    }

    private long perServer(Predicate<String> which) {
        return cluster.servers().stream()
                .map(ServerNode::medium)
                .mapToLong(simulatedDisk -> simulatedDisk.bytes(path -> path.startsWith("t") && which.test(path)))
                .max()
                .orElse(0);
    }

    private LightFaultReport report() {
        String hash = world.trace().finish();
        return new LightFaultReport(
                (double) world.queue().now() / HOUR,
                operationCounters.operations(),
                operationCounters.failures(),
                world.segmentsDropped(),
                world.faultIntensity().counts(),
                boundedGrowthCheck.first(),
                boundedGrowthCheck.highest(),
                world.violations().kept(),
                world.violations().total(),
                hash);
    }
}
