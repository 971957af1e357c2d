package io.uniserve.simulator;

import io.uniserve.api.EngineInstance;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.simulator.check.AllowedDataLoss;
import io.uniserve.simulator.check.AtomicCheck;
import io.uniserve.simulator.check.AtomicHistory;
import io.uniserve.simulator.check.ClientHistory;
import io.uniserve.simulator.check.HistoryCheck;
import io.uniserve.simulator.check.TimelineCheck;
import io.uniserve.simulator.cluster.AtomicTimeWorkload;
import io.uniserve.simulator.cluster.BackupWorkload;
import io.uniserve.simulator.cluster.ClientFactory;
import io.uniserve.simulator.cluster.LedgerWorkload;
import io.uniserve.simulator.cluster.ReassignmentWorkload;
import io.uniserve.simulator.cluster.Scenario;
import io.uniserve.simulator.cluster.SimCluster;
import io.uniserve.simulator.cluster.SimulationContext;
import io.uniserve.simulator.cluster.TableLifecycleWorkload;
import io.uniserve.simulator.cluster.TimeBackupWorkload;
import io.uniserve.simulator.cluster.TimeTableWorkload;
import io.uniserve.simulator.fault.FaultPlan;
import io.uniserve.simulator.fault.IsrLossFault;
import io.uniserve.simulator.fault.LargeFaultScheduler;
import io.uniserve.simulator.fault.LongOutageFault;
import io.uniserve.simulator.fault.ServerIsolationFault;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.ClientPool;
import io.uniserve.simulator.workload.OperationCounters;
import io.uniserve.simulator.workload.Workload;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/** Run of one seed: start, faults with load, end of all faults, checks. */
final class SeedRun {
    private static final long SECOND = 1_000_000_000L;
    private static final long START_NANOS_MAX = 60 * SECOND;
    private static final long HEALED_NANOS_MAX = 60 * SECOND;
    private static final long RESTORED_NANOS_MAX = 400 * SECOND;
    private static final long ENDED_NANOS_MAX = 5 * SECOND;

    private final long seed;
    private final SimulationOptions options;
    private final SimulationContext world;
    private final Scenario scenario;
    private final SimCluster cluster;
    private final LargeFaultScheduler disasters;
    private final LongOutageFault longOutageFault;
    private final ServerIsolationFault isolations;
    private final ReassignmentWorkload moves;
    private final BackupWorkload backups;
    private final ClientPool clientPool;
    private final TableLifecycleWorkload lifecycleWorkload;
    private final Optional<LedgerWorkload> ledger;
    private final Optional<TimeTableWorkload> timeTable;
    private final Optional<AtomicTimeWorkload> atomicTime;
    private final Optional<TimeBackupWorkload> timeBackups;
    private final IsrLossFault isrLossFault;
    private final TimelineCheck timelineCheck;
    private final ActorKeys keys;
    private final OperationCounters operationCounters = new OperationCounters();
    private final ClientHistory history = new ClientHistory();
    private final AtomicHistory atomicHistory = new AtomicHistory();
    private long lostAtPrimaryLevel;

    SeedRun(long seed, SimulationOptions options, EngineInstance engine, Path scratch) {
        this.seed = seed;
        this.options = options;
        this.world = new SimulationContext(
                seed, engine, scratch, options.plant(), options.workload(), options.rebalancing(), options.lines());
        if (options.hotActor()) {
            world.heatOneActor();
        }
        Prng random = new Prng(seed).fork("run");
        Scenario any = Scenario.draw(random.fork("scenario"));
        Scenario drawn = world.hasStorage() ? any : any.withoutStorage();
        this.scenario = options.workload().isAtomic() ? drawn.atomic(onLoss(random.fork("loss"))) : drawn;
        this.cluster = new SimCluster(world, scenario);
        if (options.scaling()) {
            cluster.scale(random.fork("scaling"));
        }
        FaultPlan plan = new FaultPlan(random.fork("plan"));
        this.keys = new ActorKeys(cluster.partitioner());
        ClientFactory clients = new ClientFactory(world, scenario, keys, history, atomicHistory, operationCounters);
        this.clientPool = clients.clientPool(random.fork("crowd"));
        this.lifecycleWorkload = clients.sideTable(cluster, random.fork("side"));
        this.ledger = withLedger(random.fork("ledger is there"))
                ? Optional.of(clients.ledger(cluster, random.fork("ledger")))
                : Optional.empty();
        this.timeTable = options.workload() == Workload.TIME
                ? Optional.of(clients.timeTable(cluster, random.fork("time")))
                : Optional.empty();
        this.atomicTime = options.workload() == Workload.ATOMIC_TIME
                ? Optional.of(clients.atomicTime(cluster, random.fork("time")))
                : Optional.empty();
        this.timeBackups = world.hasStorage() ? timeBackups(random.fork("time backups")) : Optional.empty();
        this.disasters =
                new LargeFaultScheduler(world, cluster, plan, clientPool, lifecycleWorkload, random.fork("disasters"));
        this.longOutageFault = new LongOutageFault(world, cluster, clientPool, random.fork("absences"));
        this.isolations = new ServerIsolationFault(world, cluster, clients.feeds(), random.fork("isolations"));
        this.moves = new ReassignmentWorkload(world, cluster, random.fork("moves"));
        this.backups = new BackupWorkload(world, cluster, random.fork("backups"));
        this.isrLossFault = new IsrLossFault(world, cluster, disasters, random.fork("ruins"));
        this.timelineCheck = new TimelineCheck(
                world.violations(),
                world.trace(),
                SimulationContext.TABLE,
                () -> world.faultIntensity().count(Fault.TABLE_RESTORED));
        if (restoresWholeTable()) {
            world.ensemble().addListener(timelineCheck);
            world.objects().listen(timelineCheck::stored);
        }
    }

    private Optional<TimeBackupWorkload> timeBackups(Prng random) {
        return timeTable
                .map(table -> TimeBackupWorkload.of(world, cluster, table, random))
                .or(() -> atomicTime.map(table -> TimeBackupWorkload.of(world, cluster, table, random)));
    }

    /** With atomic updates, half of the seeds have two more tables that are read at one snapshot. */
    private boolean withLedger(Prng choice) {
        return options.workload() == Workload.ATOMIC
                && (options.plant() == Plant.NONE
                        ? choice.below(2) == 0
                        : options.plant().violatesSnapshots());
    }

    /** Half of the atomic tables have RESTORE_TABLE, if there is durable storage. */
    private OnLoss onLoss(Prng choice) {
        boolean drawn = options.plant() == Plant.NONE
                ? choice.below(2) == 0
                : options.plant().losesActors();
        return drawn && world.hasStorage() ? OnLoss.RESTORE_TABLE : OnLoss.WAIT;
    }

    private boolean restoresWholeTable() {
        return scenario.onLoss() == OnLoss.RESTORE_TABLE;
    }

    SeedReport run() {
        world.trace().line("seed " + seed + ": " + scenario);
        cluster.start();
        boolean made = world.runUntil(START_NANOS_MAX, cluster::ready);
        cluster.createTable();
        made = made
                && world.runUntil(START_NANOS_MAX, () -> cluster.divergence().isEmpty());
        if (made) {
            runUnderFaults();
        } else {
            world.violations()
                    .add(
                            "LIVE",
                            "no table after " + START_NANOS_MAX / SECOND + " s without faults: "
                                    + cluster.divergence());
        }
        String hash = world.trace().finish();
        return report(hash);
    }

    private void runUnderFaults() {
        clientPool.begin();
        disasters.begin();
        ledger.ifPresent(LedgerWorkload::begin);
        timeTable.ifPresent(TimeTableWorkload::begin);
        atomicTime.ifPresent(AtomicTimeWorkload::begin);
        timeBackups.ifPresent(TimeBackupWorkload::begin);
        if (scenario.rf() == 1 && scenario.servers() > 1) {
            longOutageFault.begin();
        }
        if (options.workload().isAtomic()) {
            isolations.begin();
        }
        if (restoresWholeTable()) {
            isrLossFault.begin();
        }
        moves.begin();
        cluster.scheduleLateNode();
        backups.begin();
        world.runUntil(options.faultSecondsPerSeed() * SECOND, () -> false);
        if (!restoresWholeTable()) {
            stopClients();
        }
        ledger.ifPresent(LedgerWorkload::end);
        timeTable.ifPresent(TimeTableWorkload::end);
        timeBackups.ifPresent(TimeBackupWorkload::end);
        longOutageFault.end();
        isolations.end();
        isrLossFault.end();
        moves.end();
        cluster.freezeLoads();
        disasters.heal();
        backups.end();
        if (restoresWholeTable()) { // a lost actor first waits for a grace period, then for each failed attempt
            world.runUntil(RESTORED_NANOS_MAX, this::isServing);
            stopClients();
        } else if (cluster.remote()) { // an actor without disks waits too
            world.runUntil(HEALED_NANOS_MAX, this::isServing);
        }
        atomicTime.ifPresent(AtomicTimeWorkload::probe);
        clientPool.probe(
                HEALED_NANOS_MAX - ENDED_NANOS_MAX); // chunks of a plan that has not ended expire at its deadline
        boolean finished = world.runUntil(HEALED_NANOS_MAX, this::hasEnded);
        disasters.onWait();
        if (!finished && !disasters.excused().isEmpty()) { // operations on an absent actor end at their deadline
            finished = world.runUntil(ENDED_NANOS_MAX, this::hasEnded);
        }
        runChecks(finished);
    }

    private void stopClients() {
        clientPool.stop();
        atomicTime.ifPresent(AtomicTimeWorkload::end);
    }

    private boolean isServing() {
        return cluster.isServing()
                && atomicTime.map(AtomicTimeWorkload::isServing).orElse(true);
    }

    private boolean hasEnded() {
        return clientPool.outstanding() == 0
                && cluster.divergence(this::mustSurvive)
                        .or(cluster::unfinishedUpdate)
                        .isEmpty()
                && cluster.unfinishedMove(this::mustSurvive).isEmpty()
                && cluster.unfinishedScaling().isEmpty()
                && remainingCopies().isEmpty()
                && lifecycleWorkload
                        .remains()
                        .or(this::unexpired)
                        .or(backups::leftovers)
                        .or(cluster::exchangeRemains)
                        .isEmpty();
    }

    /** Reason why a cold actor still has automatic copies. They stay for long if an operator may have changed the actor. */
    private Optional<String> remainingCopies() {
        return options.hotActor() && !moves.isFrequent()
                ? cluster.automaticCopies(this::mustSurvive)
                : Optional.empty();
    }

    /** What is left of the table of time after its chunks have expired; empty if nothing is. */
    private Optional<String> unexpired() {
        return timeTable
                .flatMap(TimeTableWorkload::remains)
                .or(() -> atomicTime.flatMap(AtomicTimeWorkload::remains))
                .or(() -> timeBackups.flatMap(TimeBackupWorkload::remains));
    }

    /** False for an actor that waits for an intact replica, as it has none left. */
    private boolean mustSurvive(int actor) {
        AllowedDataLoss why = disasters.excused().get(actor);
        return why == null || why == AllowedDataLoss.TAKEN_OVER_BEHIND;
    }

    private void runChecks(boolean finished) {
        if (!finished) {
            Optional<String> why = cluster.divergence(this::mustSurvive)
                    .or(cluster::unfinishedUpdate)
                    .or(() -> cluster.unfinishedMove(this::mustSurvive))
                    .or(cluster::unfinishedScaling)
                    .or(this::remainingCopies)
                    .or(lifecycleWorkload::remains)
                    .or(this::unexpired)
                    .or(backups::leftovers)
                    .or(cluster::exchangeRemains);
            world.violations()
                    .add(
                            "LIVE",
                            HEALED_NANOS_MAX / SECOND + " s after the last fault " + clientPool.outstanding()
                                    + " operations are unfinished; " + why.orElse("replicas have converged"));
            return;
        }
        TreeSet<Integer> failed = new TreeSet<>(operationCounters.probesFailed());
        Map<Integer, AllowedDataLoss> excused = disasters.excused();
        boolean together = options.workload().isAtomic(); // one absent actor fails atomic updates of all
        failed.removeIf(actor ->
                actor == OperationCounters.ALL_ACTORS || together ? !excused.isEmpty() : excused.containsKey(actor));
        if (!failed.isEmpty()) {
            world.violations()
                    .add(
                            "LIVE",
                            "operations after the last fault failed on actors " + failed + ": "
                                    + operationCounters.errors());
        }
        cluster.compareDigests(this::mustSurvive);
        atomicTime.ifPresent(AtomicTimeWorkload::check);
        if (options.workload().isAtomic()) {
            if (excused.isEmpty()) { // the loss of an actor tears every update with rows there
                new AtomicCheck(world.violations(), atomicHistory, timelineCheck.timelines(), finalLists()).run();
            }
            return;
        }
        timeTable.ifPresent(table -> world.trace()
                .line("times compared " + table.compared() + " rows, " + table.expired() + " actors expired, "
                        + timeBackups.map(TimeBackupWorkload::compared).orElse(0) + " rows restored"));
        Map<Integer, List<String>> finals = finalLists();
        backups.compare(keys, finals, actor -> !excused.containsKey(actor));
        HistoryCheck check = new HistoryCheck(
                world.violations(), history, finals, list -> !excused.containsKey(ActorKeys.actorOf(list)));
        check.run();
        lostAtPrimaryLevel = check.lostAtPrimaryLevel();
    }

    private Map<Integer, List<String>> finalLists() {
        TableRoute route = cluster.route().orElseThrow();
        Map<Integer, List<String>> lists = new TreeMap<>();
        for (ActorState actor : route.map().actors()) {
            if (!mustSurvive(actor.actor())) {
                continue;
            }
            Map<Integer, List<String>> held =
                    keys.lists(cluster.documents(actor, route.meta().tableId()));
            held.keySet().stream()
                    .filter(list -> ActorKeys.actorOf(list) != actor.actor())
                    .forEach(list -> world.violations().add("I11", "actor " + actor.actor() + " holds list " + list));
            lists.putAll(held);
        }
        return lists;
    }

    private SeedReport report(String hash) {
        return new SeedReport(
                seed,
                scenario.toString(),
                world.queue().now(),
                operationCounters.operations(),
                operationCounters.updates(),
                operationCounters.reads(),
                operationCounters.failures(),
                lostAtPrimaryLevel,
                world.segmentsDropped(),
                world.coverage(),
                world.queue().executed(),
                world.faultIntensity().counts(),
                operationCounters.errors(),
                disasters.excused(),
                world.violations().kept(),
                world.violations().total(),
                hash);
    }
}
