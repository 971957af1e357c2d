package io.uniserve.simulator.cluster;

import io.uniserve.api.EngineInstance;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.IdGenerator;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.simulator.check.CheckCoverage;
import io.uniserve.simulator.check.CheckObserver;
import io.uniserve.simulator.check.InDoubtDurationCheck;
import io.uniserve.simulator.check.ViolationCollector;
import io.uniserve.simulator.disk.SimObjectStore;
import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.EventTrace;
import io.uniserve.simulator.kernel.FaultIntensity;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.kernel.WallTime;
import io.uniserve.simulator.network.SimNetwork;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.scaling.ScalingLoad;
import io.uniserve.simulator.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shared state of all processes of one simulation. */
public final class SimulationContext {
    /** The cluster's name. */
    public static final String CLUSTER = "sim";

    /** The table's name. */
    public static final TableName TABLE = new TableName("lists");

    private static final int FRAMES_SHOWN = 8;
    private static final long CHECK_NANOS = 250_000_000L;
    private static final long FAST_WALL_RATE = 10_000;
    private static final long KEEPALIVE_NANOS = 15_000_000_000L;

    final EventQueue queue = new EventQueue();
    final WallTime wallTime = new WallTime(queue);
    final Prng random;
    final EventTrace trace;
    final FaultIntensity faultIntensity;
    final ViolationCollector violations;
    final CheckObserver observer;
    final InDoubtDurationCheck inDoubtCheck;
    final SimNetwork network;
    final SimEnsemble ensemble;
    final SimObjectStore objects;
    final EngineInstance engine;
    final Path scratch;
    final Plant plant;
    final Workload workload;
    final SimulationKnobs knobs;
    final ExchangeLimits exchange;
    final @Nullable HotSpotLoad hotSpotLoad;
    /** Load and settings of the auto-scaler; null without it. */
    @Nullable
    ScalingLoad scalingLoad;

    long segmentsDropped;
    long digestsCompared;
    private final List<Runnable> periodicChecks = new ArrayList<>();

    /**
     * @param engine the port under test
     * @param scratch directory for checkpoints in transit
     * @param rebalancing true if the coordinator's rebalancer moves replicas
     * @param lines consumer of every line of the trace
     */
    public SimulationContext(
            long seed,
            EngineInstance engine,
            Path scratch,
            Plant plant,
            Workload workload,
            boolean rebalancing,
            Consumer<String> lines) {
        this(seed, engine, scratch, plant, workload, rebalancing, false, lines);
    }

    /** @param calm true for the fixed sizes of a long run; otherwise the seed draws them */
    public SimulationContext(
            long seed,
            EngineInstance engine,
            Path scratch,
            Plant plant,
            Workload workload,
            boolean rebalancing,
            boolean calm,
            Consumer<String> lines) {
        this.random = new Prng(seed).fork("world");
        this.trace = new EventTrace(queue, lines);
        this.faultIntensity = new FaultIntensity(random.fork("weather"), trace);
        this.violations = new ViolationCollector(queue, trace);
        this.observer = new CheckObserver(queue, trace, violations);
        this.inDoubtCheck = new InDoubtDurationCheck(violations);
        this.network = new SimNetwork(queue, random.fork("wire"), faultIntensity, observer);
        this.ensemble = new SimEnsemble((session, ops, failing) ->
                plant == Plant.SHRINK_WITHOUT_CAS && CheckObserver.coordinates(ops.get(failing), ops));
        boolean isPriced = random.fork("price").below(2) == 0;
        this.objects = new SimObjectStore(queue, random.fork("objects"), faultIntensity, CLUSTER, isPriced);
        this.engine = engine;
        this.scratch = scratch;
        this.plant = plant;
        this.workload = workload;
        this.knobs = calm ? SimulationKnobs.calm() : SimulationKnobs.draw(random.fork("sizes"), isPriced);
        this.exchange = calm ? ExchangeLimits.DEFAULTS : SimulationKnobs.exchange(random.fork("exchange"));
        this.hotSpotLoad = rebalancing ? new HotSpotLoad(this, random.fork("heat")) : null;
        if (workload == Workload.TIME) {
            wallTime.startAt(FAST_WALL_RATE);
        }
        ensemble.addListener(observer.maps());
        if (workload.isAtomic()) {
            network.setKeepalive(KEEPALIVE_NANOS);
        }
    }

    /** Makes one actor hot and cold in turn. Needs rebalancing; to be called before the cluster starts. */
    public void heatOneActor() {
        HotSpotLoad load = Objects.requireNonNull(hotSpotLoad, "rebalancing");
        load.heatOneActor();
        AutomaticCopiesCheck check = new AutomaticCopiesCheck(violations, faultIntensity, load.copiesMax());
        observer.setReadListener(check::onAnswered);
        ensemble.addListener(check);
    }

    public EventQueue queue() {
        return queue;
    }

    public EventTrace trace() {
        return trace;
    }

    public FaultIntensity faultIntensity() {
        return faultIntensity;
    }

    public ViolationCollector violations() {
        return violations;
    }

    public SimNetwork network() {
        return network;
    }

    public SimEnsemble ensemble() {
        return ensemble;
    }

    public SimObjectStore objects() {
        return objects;
    }

    /** True if servers have durable storage. */
    public boolean hasStorage() {
        return knobs.shippingNanos() > 0;
    }

    /** Runs events until the condition holds, which is checked every 250 ms of virtual time. False if it does not hold in time. */
    public boolean runUntil(long atMostNanos, BooleanSupplier done) {
        long end = queue.now() + atMostNanos;
        while (queue.now() < end) {
            long look = Math.min(end, queue.now() + CHECK_NANOS);
            while (queue.step(look)) {
                // run every event up to the next check
            }
            periodicChecks.forEach(Runnable::run);
            if (done.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    /** Registers a task that runs at each check of a condition in {@link #runUntil}. */
    void addPeriodicCheck(Runnable look) {
        periodicChecks.add(look);
    }

    /** Removes the state of checkers that is already checked. */
    public void clearHistory() {
        ensemble.clearHistory();
        observer.clearHistory();
    }

    /** Coverage of the checks that read the state of servers directly. */
    public CheckCoverage coverage() {
        return new CheckCoverage(digestsCompared, observer.checkedDisks(), inDoubtCheck.longestNanos());
    }

    /** Number of segments deleted from the front of logs. */
    public long segmentsDropped() {
        return segmentsDropped;
    }

    public Plant plant() {
        return plant;
    }

    /** Level of the table. Without a planted bug, a quarter of the atomic workloads have level SERIALIZABLE. */
    ConsistencyLevel level() {
        if (!workload.isAtomic()) {
            return ConsistencyLevel.EVENTUAL;
        }
        boolean looser = plant == Plant.NONE && random.fork("level").below(4) == 0;
        return looser ? ConsistencyLevel.SERIALIZABLE : ConsistencyLevel.FULLY_SERIALIZABLE;
    }

    /** New process that is not started yet. */
    public SimProcess process(String name) {
        SimProcess process = new SimProcess(name, queue, random.fork(name), this::failed);
        process.useWallTime(wallTime);
        return process;
    }

    /** Seeded ids for one start of a process. */
    public IdGenerator ids(SimProcess process) {
        Prng own = random.fork("ids " + process.name() + "#" + process.generation());
        return own::next;
    }

    private void failed(SimProcess process, Throwable error) {
        String frames = Arrays.stream(error.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.uniserve"))
                .limit(FRAMES_SHOWN)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < "));
        violations.add("CODE", process.name() + " threw " + error + " at " + frames);
        process.crash();
    }
}
