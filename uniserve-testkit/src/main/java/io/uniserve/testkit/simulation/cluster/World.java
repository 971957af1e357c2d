package io.uniserve.testkit.simulation.cluster;

import io.uniserve.api.EngineInstance;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.TableName;
import io.uniserve.protocol.env.Ids;
import io.uniserve.protocol.exchange.ExchangeLimits;
import io.uniserve.testkit.simulation.check.CheckCoverage;
import io.uniserve.testkit.simulation.check.InDoubtDurationCheck;
import io.uniserve.testkit.simulation.check.Observer;
import io.uniserve.testkit.simulation.check.Violations;
import io.uniserve.testkit.simulation.disk.SimObjectStore;
import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.FaultIntensity;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.kernel.Process;
import io.uniserve.testkit.simulation.kernel.Trace;
import io.uniserve.testkit.simulation.network.SimNetwork;
import io.uniserve.testkit.simulation.plant.Plant;
import io.uniserve.testkit.simulation.registry.Ensemble;
import io.uniserve.testkit.simulation.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Shared state of all processes of one simulation. */
public final class World {
    /** The table's name. */
    public static final TableName TABLE = new TableName("lists");

    private static final int FRAMES_SHOWN = 8;
    private static final long LOOK_NANOS = 250_000_000L;
    private static final long KEEPALIVE_NANOS = 15_000_000_000L;

    final EventQueue queue = new EventQueue();
    final Prng random;
    final Trace trace;
    final FaultIntensity weather;
    final Violations violations;
    final Observer observer;
    final InDoubtDurationCheck doubts;
    final SimNetwork wire;
    final Ensemble ensemble;
    final SimObjectStore objects;
    final EngineInstance engine;
    final Path scratch;
    final Plant plant;
    final Workload workload;
    final SimulationKnobs sizes;
    final ExchangeLimits exchange;
    final @Nullable HotSpotLoad heat;
    long segmentsDropped;
    long digestsCompared;
    private final List<Runnable> looks = new ArrayList<>();

    /**
     * @param engine the port under test
     * @param scratch directory for checkpoints in transit
     * @param rebalancing true if the coordinator's rebalancer moves replicas
     * @param lines consumer of every line of the trace
     */
    public World(
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
    public World(
            long seed,
            EngineInstance engine,
            Path scratch,
            Plant plant,
            Workload workload,
            boolean rebalancing,
            boolean calm,
            Consumer<String> lines) {
        this.random = new Prng(seed).fork("world");
        this.trace = new Trace(queue, lines);
        this.weather = new FaultIntensity(random.fork("weather"), trace);
        this.violations = new Violations(queue, trace);
        this.observer = new Observer(queue, trace, violations);
        this.doubts = new InDoubtDurationCheck(violations);
        this.wire = new SimNetwork(queue, random.fork("wire"), weather, observer);
        this.ensemble = new Ensemble((session, ops, failing) ->
                plant == Plant.SHRINK_WITHOUT_CAS && Observer.coordinates(ops.get(failing), ops));
        this.objects = new SimObjectStore(queue, random.fork("objects"), weather);
        this.engine = engine;
        this.scratch = scratch;
        this.plant = plant;
        this.workload = workload;
        this.sizes = calm ? SimulationKnobs.calm() : SimulationKnobs.draw(random.fork("sizes"));
        this.exchange = calm ? ExchangeLimits.DEFAULTS : SimulationKnobs.exchange(random.fork("exchange"));
        this.heat = rebalancing ? new HotSpotLoad(this, random.fork("heat")) : null;
        ensemble.listen(observer.maps());
        if (workload == Workload.ATOMIC) {
            wire.keepalive(KEEPALIVE_NANOS);
        }
    }

    public EventQueue queue() {
        return queue;
    }

    public Trace trace() {
        return trace;
    }

    public FaultIntensity weather() {
        return weather;
    }

    public Violations violations() {
        return violations;
    }

    public SimNetwork wire() {
        return wire;
    }

    public Ensemble ensemble() {
        return ensemble;
    }

    public SimObjectStore objects() {
        return objects;
    }

    /** True if servers have durable storage. */
    public boolean storage() {
        return sizes.shippingNanos() > 0;
    }

    /** Runs events until the condition holds, which is checked every 250 ms of virtual time. False if it does not hold in time. */
    public boolean until(long atMostNanos, BooleanSupplier done) {
        long end = queue.now() + atMostNanos;
        while (queue.now() < end) {
            long look = Math.min(end, queue.now() + LOOK_NANOS);
            while (queue.step(look)) {
                // run every event up to the next check
            }
            looks.forEach(Runnable::run);
            if (done.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    /** Registers a task that runs at each check of a condition in {@link #until}. */
    void onLook(Runnable look) {
        looks.add(look);
    }

    /** Removes the state of checkers that is already checked. */
    public void forgetThePast() {
        ensemble.forgetThePast();
        observer.forgetThePast();
    }

    /** Coverage of the checks that read the state of servers directly. */
    public CheckCoverage looks() {
        return new CheckCoverage(digestsCompared, observer.disksLooked(), doubts.longestNanos());
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
        if (workload == Workload.EVENTUAL) {
            return ConsistencyLevel.EVENTUAL;
        }
        boolean looser = plant == Plant.NONE && random.fork("level").below(4) == 0;
        return looser ? ConsistencyLevel.SERIALIZABLE : ConsistencyLevel.FULLY_SERIALIZABLE;
    }

    /** New process that is not started yet. */
    public Process process(String name) {
        return new Process(name, queue, random.fork(name), this::failed);
    }

    /** Seeded ids for one start of a process. */
    public Ids ids(Process process) {
        Prng own = random.fork("ids " + process.name() + "#" + process.generation());
        return own::next;
    }

    private void failed(Process process, Throwable error) {
        String frames = Arrays.stream(error.getStackTrace())
                .filter(frame -> frame.getClassName().startsWith("io.uniserve"))
                .limit(FRAMES_SHOWN)
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < "));
        violations.add("CODE", process.name() + " threw " + error + " at " + frames);
        process.crash();
    }
}
