package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.ObjectStore;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.exchange.ExchangeStateMachine;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.ServerStateMachine;
import io.uniserve.protocol.server.config.ServerConfig;
import io.uniserve.simulator.check.LogCleaningCheck;
import io.uniserve.simulator.disk.SimDisk;
import io.uniserve.simulator.disk.SimDiskMedium;
import io.uniserve.simulator.engine.ReadWorker;
import io.uniserve.simulator.engine.SimEngineHost;
import io.uniserve.simulator.engine.SimExchange;
import io.uniserve.simulator.engine.SimGatePublisher;
import io.uniserve.simulator.engine.VersionedReader;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.kernel.SimProcess;
import io.uniserve.simulator.network.Endpoint;
import io.uniserve.simulator.network.MessageForger;
import io.uniserve.simulator.plant.AbortOnMissingRecordBug;
import io.uniserve.simulator.plant.AttemptsMergedBug;
import io.uniserve.simulator.plant.CommitUnfencedBug;
import io.uniserve.simulator.plant.CommitUnpreparedBug;
import io.uniserve.simulator.plant.ConfirmationSkippedBug;
import io.uniserve.simulator.plant.ForeignReservationUsedBug;
import io.uniserve.simulator.plant.GreedyDropBug;
import io.uniserve.simulator.plant.InDoubtIgnoredBug;
import io.uniserve.simulator.plant.InFlightNeverAbortedBug;
import io.uniserve.simulator.plant.OutcomesLostBug;
import io.uniserve.simulator.plant.OwnVersionCountersBug;
import io.uniserve.simulator.plant.Plant;
import io.uniserve.simulator.plant.ReservationAbortTrimmedBug;
import io.uniserve.simulator.plant.SnapshotSingleReadingBug;
import io.uniserve.simulator.plant.UncheckedIntactReportBug;
import io.uniserve.simulator.plant.chunk.ExpiredAwaitedBug;
import io.uniserve.simulator.plant.chunk.FirstVersionIgnoredBug;
import io.uniserve.simulator.plant.chunk.VotesUnfencedBug;
import io.uniserve.simulator.plant.store.BatchNotReplacedBug;
import io.uniserve.simulator.plant.store.DeletionUnmarkedBug;
import io.uniserve.simulator.plant.store.EarlyPutAckBug;
import io.uniserve.simulator.registry.SimRegistrySession;
import io.uniserve.simulator.scaling.ScalingLoad;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Process of a server, and its disk, which survives restarts. */
public final class ServerNode implements SimulatedDaemon {
    private static final long SCRUB_NANOS_MIN = 5_000_000_000L;
    private static final long SCRUB_NANOS_MAX = 60_000_000_000L;
    private static final int UNEVEN_ONE_IN = 200;
    private static final long RESTART_NANOS = 1_000_000_000L;
    private static final ExchangeStateMachine.Usage NOTHING = new ExchangeStateMachine.Usage(0, 0, 0, 0, 0, 0);

    private final SimulationContext world;
    private final int zone;
    private final SimProcess process;
    private final ServerId id;
    private final Address address;
    private final SimDiskMedium medium = new SimDiskMedium();
    /** Disk for files that are not needed after a restart. */
    private final SimDiskMedium scratch = new SimDiskMedium();

    private final AttemptsMergedBug added = new AttemptsMergedBug();
    private @Nullable RunningServer running;
    private boolean draining;
    private boolean retired;

    ServerNode(SimulationContext world, int number) {
        this(world, number, new ServerId("s" + number));
    }

    /** A server with an id that something else has chosen. */
    ServerNode(SimulationContext world, int number, ServerId id) {
        this.world = world;
        this.zone = number % 3;
        this.process = world.process(id.value());
        this.id = id;
        this.address = new Address("server" + number, 8000);
        world.observer.disk(id.value(), medium);
    }

    @Override
    public SimProcess process() {
        return process;
    }

    public ServerId id() {
        return id;
    }

    @Override
    public @Nullable SimRegistrySession session() {
        return running == null ? null : running.session;
    }

    /** The address of its listener. */
    Address address() {
        return address;
    }

    /** The disk of the current start; null before the first start. */
    public @Nullable SimDisk disk() {
        return running == null ? null : running.disk;
    }

    /** Makes the disks full, so that writes fail, or ends that. */
    public void setFull(boolean full) {
        RunningServer now = running;
        if (now != null) {
            now.disk.setFull(full);
            now.chunks.setFull(full);
        }
    }

    /** State of exchanges that is still kept; empty if there is none. */
    Optional<String> exchangeRemains() {
        RunningServer now = running;
        if (now == null || !process.alive()) {
            return Optional.empty();
        }
        ExchangeStateMachine.Usage usage = now.exchange.usage();
        return usage.equals(NOTHING) && scratch.bytes(path -> true) == 0
                ? Optional.empty()
                : Optional.of(id + " holds " + usage + " and files " + scratch.list("exchange"));
    }

    /** Drains the server, as SIGTERM does. The task runs when the drain is complete. False if the server is down or drains already. */
    public boolean drain(Runnable drained) {
        RunningServer now = running;
        if (now == null || !process.alive() || draining) {
            return false;
        }
        draining = true;
        process.post(0, () -> now.machine.drain(outcome -> drained.run()));
        return true;
    }

    /** True while the server runs and drains. */
    public boolean draining() {
        return draining && process.alive();
    }

    /** The medium of its disk. */
    public SimDiskMedium medium() {
        return medium;
    }

    /** True if its disk has a directory of a replica of this table. */
    public boolean hasFiles(long tableId) {
        return medium.list("").stream().anyMatch(entry -> entry.name().startsWith("t" + tableId + "-"));
    }

    /** The replica's gate; null if the server is down or does not have the replica. */
    public @Nullable ReadGate gate(ReplicaKey key) {
        return running == null || !process.alive() ? null : running.gates.of(key);
    }

    /** True while a version is in doubt at a gate of this server. */
    public boolean inDoubt() {
        return running != null
                && process.alive()
                && running.gates.all().values().stream().anyMatch(gate -> gate.inDoubtVersion() != 0);
    }

    /** True if the server runs and its requests reach the registry now. */
    boolean reachesRegistry() {
        return running != null
                && process.alive()
                && !process.paused()
                && running.session.link().isReachable();
    }

    /** True if, in addition, neither disk nor engine delays entries of the replica. */
    boolean isSettled(ReplicaKey key) {
        RunningServer now = running;
        return now != null && reachesRegistry() && !now.disk.isFaulty() && !now.engine.busy(key);
    }

    /** The index or version that the replica's engine has applied; null if there is no engine. */
    @Nullable
    String applied(ReplicaKey key) {
        RunningServer now = running;
        return now == null || !process.alive() ? null : now.engine.applied(key);
    }

    /** The digest of the replica's contents; null if there are none. */
    public byte @Nullable [] digest(ReplicaKey key) {
        return running == null || !process.alive() ? null : running.engine.digestNow(key);
    }

    /** Every document of the replica; empty if there is no replica. */
    public List<Document> documents(ReplicaKey key) {
        return running != null && running.engine.actor(key) instanceof KvActor actor
                ? KvOperators.SCAN.retrieve(actor, new AllRowsContext(key.actor()), new KvOperators.Scan("", 10_000))
                : List.of();
    }

    /** Ends the server for ever. */
    void retire() {
        retired = true;
        crash(false);
    }

    @Override
    public void start(long drift) {
        if (retired) {
            return;
        }
        process.start(drift);
        Prng random = world.random.fork(process.name() + " start " + process.generation());
        SimRegistrySession session = new SimRegistrySession(
                world.queue, random.fork("session"), world.faultIntensity, world.ensemble, process);
        SimDisk disk = new SimDisk(
                world.queue,
                random.fork("disk"),
                world.faultIntensity,
                process,
                medium,
                (owner, path) -> world.plant != Plant.SKIPPED_FSYNC);
        LongSupplier stateNumbers = stateNumbers();
        SimEngineHost engine = engine(random, stateNumbers);
        SimDisk chunks = new SimDisk(
                world.queue, random.fork("chunks"), world.faultIntensity, process, scratch, (owner, path) -> true);
        SimExchange exchange = exchange(chunks, random.fork("runs").next());
        SimGatePublisher gates =
                new SimGatePublisher((key, gate) -> world.observer.published(process.name(), key, gate));
        ReadWorker reads = new ReadWorker(
                world.queue,
                random.fork("reads"),
                world.faultIntensity,
                process,
                world.engine,
                engine,
                world.plant == Plant.UNPUBLISHED_READS ? engine::seen : engine::published,
                gates,
                gate -> world.plant == Plant.CHUNKS_UNCOMPARED ? Math.min(1, gate.generation()) : gate.generation(),
                stoppedClock(Plant.NO_FENCE),
                world.observer,
                stateNumbers,
                exchange);
        Environment env = environment(random, session, disk, engine);
        ServerConfig config = config();
        ServerStateMachine machine = new ServerStateMachine(config, env, gates, this::fatal);
        VersionedReader versions = new VersionedReader(
                random.fork("versions"),
                world.faultIntensity,
                process,
                world.engine,
                engine,
                gates,
                stoppedClock(Plant.LEASE_IGNORED),
                (read, key, told) ->
                        machine.resolveInDoubt(read.table(), key, read.version(), read.acceptsOpenVersions(), told),
                gateFilter(),
                world.queue,
                world.observer,
                exchange);
        world.network.bind(
                address,
                new Endpoint(
                        process,
                        peerHandler(machine, exchange),
                        machine::onUpdate,
                        reads::read,
                        versions::read,
                        machine::readConsistentCut));
        running = new RunningServer(session, disk, engine, gates, machine, chunks, exchange);
        draining = false;
        process.post(0, exchange::start);
        process.post(0, () -> machine.start(outcome -> world.trace.line("listed " + id)));
        startPlant(gates, machine);
    }

    private void startPlant(SimGatePublisher gates, ServerStateMachine machine) {
        if (world.plant == Plant.ABORT_ON_MISSING_RECORD) {
            new AbortOnMissingRecordBug(SimulationContext.TABLE, process, gates, world.ensemble, machine::onPeer)
                    .start();
        }
    }

    /** How readers of atomic tables see gates. */
    private UnaryOperator<ReadGate> gateFilter() {
        return switch (world.plant) {
            case DOUBTS_IGNORED -> InDoubtIgnoredBug::withoutInDoubt;
            case VOTES_UNFENCED -> VotesUnfencedBug::beforeNewestChunk;
            default -> gate -> gate;
        };
    }

    private SimEngineHost engine(Prng random, LongSupplier stateNumbers) {
        return new SimEngineHost(
                world.queue,
                random.fork("engine"),
                world.faultIntensity,
                process,
                world.engine,
                medium,
                world.scratch,
                world.observer,
                stateNumbers,
                world.knobs.statesMax(),
                applies(random.fork("uneven")));
    }

    private SimEngineHost.UpdatePolicy applies(Prng uneven) {
        return owner -> world.plant != Plant.UPDATES_UNEVEN || uneven.below(UNEVEN_ONE_IN) > 0;
    }

    private SimExchange exchange(SimDisk chunks, long firstRun) {
        return new SimExchange(
                process,
                new ExchangeStateMachine(
                        process.clock(),
                        process.timers(),
                        world.network.network(process),
                        chunks,
                        address,
                        world.exchange,
                        firstRun),
                world.plant == Plant.ATTEMPTS_ADDED_UP ? added : (scatterOutput, slot, chunk) -> chunk);
    }

    /** Completion that adds the CPU time of queries to reports of loads, if the auto-scaler runs. */
    private Completion<PeerReply> withCpu(Completion<PeerReply> completion) {
        ScalingLoad scaling = world.scalingLoad;
        return scaling == null ? completion : outcome -> completion.done(outcome.map(scaling::withCpu));
    }

    /** Handler of requests of other daemons: exchange requests go to the exchange, all others to the machine. */
    private Endpoint.Handler<PeerRequest, PeerReply> peerHandler(ServerStateMachine machine, SimExchange exchange) {
        Endpoint.Handler<PeerRequest, PeerReply> asked = world.plant == Plant.UNCHECKED_INTACT_REPORT
                ? new UncheckedIntactReportBug(machine::onPeer)
                : machine::onPeer;
        Prng random = world.random.fork(process.name() + " ear " + process.generation());
        MessageForger own =
                new MessageForger(asked, world.faultIntensity, random, world.plant == Plant.HASHES_UNCOMPARED);
        return (request, completion) -> {
            if (request instanceof ExchangeRequest) {
                exchange.onPeer(request, completion);
            } else if (world.plant == Plant.FIRST_VERSION_IGNORED) {
                FirstVersionIgnoredBug.withoutLog(request).ifPresent(rest -> own.handle(rest, completion));
            } else {
                own.handle(request, withCpu(completion));
            }
        };
    }

    /** The machine's environment, with the planted bug of the run if the bug is in one of its parts. */
    private Environment environment(Prng random, SimRegistrySession session, SimDisk disk, SimEngineHost engine) {
        return new Environment(
                process.clock(),
                process.timers(),
                world.plant == Plant.COMMIT_UNPREPARED
                        ? new CommitUnpreparedBug(
                                world.network.network(process), process.timers(), random.fork("votes"))
                        : world.network.network(process),
                registry(random, session),
                world.plant == Plant.GREEDY_DROP ? new GreedyDropBug(withChecks(disk), medium) : withChecks(disk),
                objects(),
                engine,
                world.ids(process));
    }

    private ObjectStore objects() {
        ObjectStore objects = world.objects.of(process);
        return switch (world.plant) {
            case STORED_LATER -> new EarlyPutAckBug(objects, process.timers());
            case BATCH_NOT_REPLACED -> new BatchNotReplacedBug(objects, process.timers());
            case DELETION_UNMARKED -> new DeletionUnmarkedBug(objects);
            default -> objects;
        };
    }

    private Disk withChecks(SimDisk disk) {
        return new LogCleaningCheck(disk, medium, world.violations, this::record, () -> world.segmentsDropped++);
    }

    /** The registry's backup record of an actor of the table; empty for actors of other tables. */
    private Optional<BackupRecord> record(ReplicaKey key) {
        return world.ensemble
                                .read(RegistryPaths.backup(SimulationContext.TABLE, key), world.ensemble.zxid())
                                .value()
                        instanceof BackupRecord record
                ? Optional.of(record)
                : Optional.empty();
    }

    private Registry registry(Prng random, SimRegistrySession session) {
        return switch (world.plant) {
            case COMMIT_UNFENCED -> new CommitUnfencedBug(session, process.timers(), random.fork("unfenced"));
            case OWN_VERSION_COUNTERS -> new OwnVersionCountersBug(session);
            case AHEAD_TAKEN -> new ForeignReservationUsedBug(session, id);
            case FLIGHTS_LEFT -> new InFlightNeverAbortedBug(session, id);
            case DISPLACED_UNTOLD -> new ReservationAbortTrimmedBug(session);
            case CONFIRM_SKIPPED -> new ConfirmationSkippedBug(session, process.timers(), RegistryPaths::isLog);
            case CUT_ONE_LOOK -> new SnapshotSingleReadingBug(session, process.timers(), random.fork("looks"));
            case CUT_UNCONFIRMED -> new ConfirmationSkippedBug(session, process.timers(), RegistryPaths.TERM::equals);
            case OUTCOMES_LOST -> new OutcomesLostBug(session);
            case OUTCOMES_UNREAD -> new OutcomesLostBug.OutcomesUnreadBug(session);
            case OUTCOMES_APART -> new OutcomesLostBug.OutcomesApartBug(session);
            case FIRST_VERSION_IGNORED -> new FirstVersionIgnoredBug(session);
            case EXPIRED_AWAITED -> new ExpiredAwaitedBug(session, this::isExpired);
            default -> session;
        };
    }

    /** True if a table of the registry has this number, and its map lacks the actor. */
    private boolean isExpired(long tableId, int actor) {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .anyMatch(route ->
                        route.meta().tableId() == tableId && !route.map().has(actor));
    }

    private ServerConfig config() {
        ServerConfig base = ServerConfig.defaults(
                id,
                world.queue.now() + 1,
                SimulationContext.CLUSTER,
                address,
                "zone" + zone,
                new Capacity(4_000, 1L << 32, 1L << 36),
                List.of(port()));
        Prng scrubs = world.random.fork("scrubs");
        long scrubNanos = scrubs.below(3) == 0 ? scrubs.between(SCRUB_NANOS_MIN, SCRUB_NANOS_MAX) : 0;
        boolean unfenced = world.plant == Plant.FENCE_SKIPPED || world.plant == Plant.VOTES_UNFENCED;
        return world.knobs.apply(base, unfenced, scrubNanos);
    }

    /** The levels that the engine supports, whatever levels coordinators permit. */
    private static PortInfo port() {
        PortInfo info = new KvEngine().info();
        return new PortInfo(
                info.name(),
                info.version(),
                Set.of(ConsistencyLevel.values()),
                info.operators(),
                info.updates(),
                info.wholeQueryOperator(),
                info.replicasDiffer(),
                info.textKeys());
    }

    /** Ends the process after a fatal error. A supervisor restarts it. */
    private void fatal(UniserveException error) {
        world.trace.line("fatal " + id + " " + error.code());
        world.queue.after(0, () -> crash(false));
        int generation = process.generation();
        world.queue.after(RESTART_NANOS, () -> {
            if (!process.alive() && process.generation() == generation) {
                start(0);
            }
        });
    }

    /** State numbers that are unique across all starts of the server. */
    private LongSupplier stateNumbers() {
        AtomicLong last = new AtomicLong((long) process.generation() << 40);
        return world.plant == Plant.STATES_NOT_TOLD_APART ? () -> 1 : last::incrementAndGet;
    }

    /** The clock of readers. With one planted bug it stands still. */
    private Clock stoppedClock(Plant plant) {
        long start = process.clock().nanos();
        return world.plant == plant ? () -> start : process.clock();
    }

    @Override
    public void crash(boolean tear) {
        if (running != null && process.alive()) {
            crashCommon(world, running.session);
            running.disk.crash(tear);
        }
    }

    private record AllRowsContext(int actor) implements OperatorContext {
        @Override
        public long remainingNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void checkActive() {
            // the checker is never cancelled
        }
    }

    private record RunningServer(
            SimRegistrySession session,
            SimDisk disk,
            SimEngineHost engine,
            SimGatePublisher gates,
            ServerStateMachine machine,
            SimDisk chunks,
            SimExchange exchange) {}
}
