package io.uniserve.testkit.simulation.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.BackupRecord;
import io.uniserve.model.Capacity;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.exchange.ExchangeMachine;
import io.uniserve.protocol.gate.ReadGate;
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.server.ServerConfig;
import io.uniserve.protocol.server.ServerMachine;
import io.uniserve.testkit.simulation.check.LogCleaningCheck;
import io.uniserve.testkit.simulation.disk.SimDisk;
import io.uniserve.testkit.simulation.disk.SimulatedDisk;
import io.uniserve.testkit.simulation.engine.Gates;
import io.uniserve.testkit.simulation.engine.ReadWorker;
import io.uniserve.testkit.simulation.engine.SimEngineHost;
import io.uniserve.testkit.simulation.engine.SimExchange;
import io.uniserve.testkit.simulation.engine.VersionedReader;
import io.uniserve.testkit.simulation.kernel.Prng;
import io.uniserve.testkit.simulation.kernel.Process;
import io.uniserve.testkit.simulation.network.Endpoint;
import io.uniserve.testkit.simulation.network.Forger;
import io.uniserve.testkit.simulation.plant.AbortOnMissingRecordBug;
import io.uniserve.testkit.simulation.plant.AheadTakenBug;
import io.uniserve.testkit.simulation.plant.AttemptsAddedUpBug;
import io.uniserve.testkit.simulation.plant.BlindVouchersBug;
import io.uniserve.testkit.simulation.plant.CommitUnfencedBug;
import io.uniserve.testkit.simulation.plant.CommitUnpreparedBug;
import io.uniserve.testkit.simulation.plant.ConfirmSkippedBug;
import io.uniserve.testkit.simulation.plant.CutOneLookBug;
import io.uniserve.testkit.simulation.plant.DisplacedUntoldBug;
import io.uniserve.testkit.simulation.plant.DoubtsIgnoredBug;
import io.uniserve.testkit.simulation.plant.FlightsLeftBug;
import io.uniserve.testkit.simulation.plant.GreedyDropBug;
import io.uniserve.testkit.simulation.plant.OutcomesLostBug;
import io.uniserve.testkit.simulation.plant.OwnVersionCountersBug;
import io.uniserve.testkit.simulation.plant.Plant;
import io.uniserve.testkit.simulation.plant.StoredLaterBug;
import io.uniserve.testkit.simulation.registry.RegistrySession;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Process of a server, and its disk, which survives restarts. */
public final class ServerNode implements Node {
    private static final long SCRUB_NANOS_MIN = 5_000_000_000L;
    private static final long SCRUB_NANOS_MAX = 60_000_000_000L;
    private static final int UNEVEN_ONE_IN = 200;
    private static final long RESTART_NANOS = 1_000_000_000L;
    private static final ExchangeMachine.Usage NOTHING = new ExchangeMachine.Usage(0, 0, 0, 0, 0, 0);

    private final World world;
    private final int zone;
    private final Process process;
    private final ServerId id;
    private final Address address;
    private final SimulatedDisk simulatedDisk = new SimulatedDisk();
    /** Disk for files that are not needed after a restart. */
    private final SimulatedDisk scratch = new SimulatedDisk();

    private final AttemptsAddedUpBug added = new AttemptsAddedUpBug();
    private @Nullable Life life;
    private boolean draining;

    ServerNode(World world, int number) {
        this.world = world;
        this.zone = number % 3;
        this.process = world.process("s" + number);
        this.id = new ServerId("s" + number);
        this.address = new Address("server" + number, 8000);
        world.observer.disk(id.value(), simulatedDisk);
    }

    @Override
    public Process process() {
        return process;
    }

    public ServerId id() {
        return id;
    }

    @Override
    public @Nullable RegistrySession session() {
        return life == null ? null : life.session;
    }

    /** The disk of the current start; null before the first start. */
    public @Nullable SimDisk disk() {
        return life == null ? null : life.disk;
    }

    /** Makes the disks full, so that writes fail, or ends that. */
    public void setFull(boolean full) {
        Life now = life;
        if (now != null) {
            now.disk.setFull(full);
            now.chunks.setFull(full);
        }
    }

    /** State of exchanges that is still kept; empty if there is none. */
    Optional<String> exchangeRemains() {
        Life now = life;
        if (now == null || !process.alive()) {
            return Optional.empty();
        }
        ExchangeMachine.Usage usage = now.exchange.usage();
        return usage.equals(NOTHING) && scratch.bytes(path -> true) == 0
                ? Optional.empty()
                : Optional.of(id + " holds " + usage + " and files " + scratch.list("exchange"));
    }

    /** Drains the server, as SIGTERM does. The task runs when the drain is complete. False if the server is down or drains already. */
    public boolean drain(Runnable drained) {
        Life now = life;
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
    public SimulatedDisk platter() {
        return simulatedDisk;
    }

    /** True if its disk has a directory of a replica of this table. */
    public boolean holdsFiles(long tableId) {
        return simulatedDisk.list("").stream().anyMatch(entry -> entry.name().startsWith("t" + tableId + "-"));
    }

    /** The replica's gate; null if the server is down or does not have the replica. */
    public @Nullable ReadGate gate(ReplicaKey key) {
        return life == null || !process.alive() ? null : life.gates.of(key);
    }

    /** True while a version is in doubt at a gate of this server. */
    public boolean inDoubt() {
        return life != null
                && process.alive()
                && life.gates.all().values().stream().anyMatch(gate -> gate.doubt() != 0);
    }

    /** True if the server runs and its requests reach the registry now. */
    boolean reachesRegistry() {
        return life != null
                && process.alive()
                && !process.paused()
                && life.session.link().reaches();
    }

    /** True if, in addition, neither disk nor engine delays entries of the replica. */
    boolean settles(ReplicaKey key) {
        Life now = life;
        return now != null && reachesRegistry() && !now.disk.hinders() && !now.engine.busy(key);
    }

    /** The index or version that the replica's engine has applied; null if there is no engine. */
    @Nullable
    String applied(ReplicaKey key) {
        Life now = life;
        return now == null || !process.alive() ? null : now.engine.applied(key);
    }

    /** The digest of the replica's contents; null if there are none. */
    public byte @Nullable [] digest(ReplicaKey key) {
        return life == null || !process.alive() ? null : life.engine.digestNow(key);
    }

    /** Every document of the replica; empty if there is no replica. */
    public List<Document> documents(ReplicaKey key) {
        return life != null && life.engine.actor(key) instanceof KvActor actor
                ? KvOperators.SCAN.retrieve(actor, new Everything(key.actor()), new KvOperators.Scan("", 10_000))
                : List.of();
    }

    @Override
    public void start(long drift) {
        process.start(drift);
        Prng random = world.random.fork(process.name() + " start " + process.generation());
        RegistrySession session =
                new RegistrySession(world.queue, random.fork("session"), world.weather, world.ensemble, process);
        SimDisk disk = new SimDisk(
                world.queue,
                random.fork("disk"),
                world.weather,
                process,
                simulatedDisk,
                (owner, path) -> world.plant != Plant.SKIPPED_FSYNC);
        LongSupplier stateNumbers = stateNumbers();
        SimEngineHost engine = engine(random, stateNumbers);
        SimDisk chunks =
                new SimDisk(world.queue, random.fork("chunks"), world.weather, process, scratch, (owner, path) -> true);
        SimExchange exchange = exchange(chunks, random.fork("runs").next());
        Gates gates = new Gates((key, gate) -> world.observer.published(process.name(), key, gate));
        ReadWorker reads = new ReadWorker(
                world.queue,
                random.fork("reads"),
                world.weather,
                process,
                world.engine,
                engine,
                world.plant == Plant.UNPUBLISHED_READS ? engine::seen : engine::published,
                gates,
                standing(Plant.NO_FENCE),
                world.observer,
                stateNumbers,
                exchange);
        Environment env = environment(random, session, disk, engine);
        ServerConfig config = config();
        ServerMachine machine = new ServerMachine(config, env, gates, this::fatal);
        VersionedReader versions = new VersionedReader(
                random.fork("versions"),
                world.weather,
                process,
                world.engine,
                engine,
                gates,
                standing(Plant.LEASE_IGNORED),
                (read, key, told) -> machine.settle(read.table(), key, read.at(), read.defers(), told),
                world.plant == Plant.DOUBTS_IGNORED ? DoubtsIgnoredBug::withoutDoubt : gate -> gate,
                world.queue,
                world.observer,
                exchange);
        world.wire.bind(
                address,
                new Endpoint(
                        process, ear(machine, exchange), machine::onUpdate, reads::read, versions::read, machine::cut));
        life = new Life(session, disk, engine, gates, machine, chunks, exchange);
        draining = false;
        process.post(0, exchange::start);
        process.post(0, () -> machine.start(outcome -> world.trace.line("listed " + id)));
        if (world.plant == Plant.ABORT_ON_MISSING_RECORD) {
            new AbortOnMissingRecordBug(World.TABLE, process, gates, world.ensemble, machine::onPeer).start();
        }
    }

    private SimEngineHost engine(Prng random, LongSupplier stateNumbers) {
        return new SimEngineHost(
                world.queue,
                random.fork("engine"),
                world.weather,
                process,
                world.engine,
                simulatedDisk,
                world.scratch,
                world.observer,
                stateNumbers,
                world.sizes.statesMax(),
                applies(random.fork("uneven")));
    }

    private SimEngineHost.UpdatePolicy applies(Prng uneven) {
        return owner -> world.plant != Plant.UPDATES_UNEVEN || uneven.below(UNEVEN_ONE_IN) > 0;
    }

    private SimExchange exchange(SimDisk chunks, long firstRun) {
        return new SimExchange(
                process,
                new ExchangeMachine(
                        process.clock(),
                        process.timers(),
                        world.wire.network(process),
                        chunks,
                        address,
                        world.exchange,
                        firstRun),
                world.plant == Plant.ATTEMPTS_ADDED_UP ? added : (scatterOutput, slot, chunk) -> chunk);
    }

    /** Handler of requests of other daemons: exchange requests go to the exchange, all others to the machine. */
    private Endpoint.Handler<PeerRequest, PeerReply> ear(ServerMachine machine, SimExchange exchange) {
        Endpoint.Handler<PeerRequest, PeerReply> asked =
                world.plant == Plant.BLIND_VOUCHERS ? new BlindVouchersBug(machine::onPeer) : machine::onPeer;
        Prng random = world.random.fork(process.name() + " ear " + process.generation());
        Forger own = new Forger(asked, world.weather, random, world.plant == Plant.HASHES_UNCOMPARED);
        return (request, completion) -> {
            if (request instanceof ExchangeRequest) {
                exchange.onPeer(request, completion);
            } else {
                own.handle(request, completion);
            }
        };
    }

    /** The machine's environment, with the planted bug of the run if the bug is in one of its parts. */
    private Environment environment(Prng random, RegistrySession session, SimDisk disk, SimEngineHost engine) {
        return new Environment(
                process.clock(),
                process.timers(),
                world.plant == Plant.COMMIT_UNPREPARED
                        ? new CommitUnpreparedBug(world.wire.network(process), process.timers(), random.fork("votes"))
                        : world.wire.network(process),
                registry(random, session),
                world.plant == Plant.GREEDY_DROP ? new GreedyDropBug(watched(disk), simulatedDisk) : watched(disk),
                world.plant == Plant.STORED_LATER
                        ? new StoredLaterBug(world.objects.of(process), process.timers())
                        : world.objects.of(process),
                engine,
                world.ids(process));
    }

    private Disk watched(SimDisk disk) {
        return new LogCleaningCheck(disk, simulatedDisk, world.violations, this::record, () -> world.segmentsDropped++);
    }

    /** The registry's backup record of an actor of the table; empty for actors of other tables. */
    private Optional<BackupRecord> record(ReplicaKey key) {
        return world.ensemble
                                .read(RegistryPaths.backup(World.TABLE, key), world.ensemble.zxid())
                                .value()
                        instanceof BackupRecord record
                ? Optional.of(record)
                : Optional.empty();
    }

    private Registry registry(Prng random, RegistrySession session) {
        return switch (world.plant) {
            case COMMIT_UNFENCED -> new CommitUnfencedBug(session, process.timers(), random.fork("unfenced"));
            case OWN_VERSION_COUNTERS -> new OwnVersionCountersBug(session);
            case AHEAD_TAKEN -> new AheadTakenBug(session, id);
            case FLIGHTS_LEFT -> new FlightsLeftBug(session, id);
            case DISPLACED_UNTOLD -> new DisplacedUntoldBug(session);
            case CONFIRM_SKIPPED -> new ConfirmSkippedBug(session, process.timers(), RegistryPaths::isLog);
            case CUT_ONE_LOOK -> new CutOneLookBug(session, process.timers(), random.fork("looks"));
            case CUT_UNCONFIRMED -> new ConfirmSkippedBug(session, process.timers(), RegistryPaths.TERM::equals);
            case OUTCOMES_LOST -> new OutcomesLostBug(session);
            case OUTCOMES_UNREAD -> new OutcomesLostBug.OutcomesUnreadBug(session);
            case OUTCOMES_APART -> new OutcomesLostBug.OutcomesApartBug(session);
            default -> session;
        };
    }

    private ServerConfig config() {
        ServerConfig base = ServerConfig.defaults(
                id,
                world.queue.now() + 1,
                "sim",
                address,
                "zone" + zone,
                new Capacity(4_000, 1L << 32, 1L << 36),
                List.of(port()));
        Prng scrubs = world.random.fork("scrubs");
        long scrubNanos = scrubs.below(3) == 0 ? scrubs.between(SCRUB_NANOS_MIN, SCRUB_NANOS_MAX) : 0;
        return world.sizes.apply(base, world.plant == Plant.FENCE_SKIPPED, scrubNanos);
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
                info.whole(),
                info.copiesDiffer(),
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

    /** The clock of readers. With this plant it stands still. */
    private Clock standing(Plant plant) {
        long start = process.clock().nanos();
        return world.plant == plant ? () -> start : process.clock();
    }

    @Override
    public void crash(boolean tear) {
        if (life != null && process.alive()) {
            crashCommon(world, life.session);
            life.disk.crash(tear);
        }
    }

    private record Everything(int actor) implements OperatorContext {
        @Override
        public long remainingNanos() {
            return Long.MAX_VALUE;
        }

        @Override
        public void checkActive() {
            // the checker is never cancelled
        }
    }

    private record Life(
            RegistrySession session,
            SimDisk disk,
            SimEngineHost engine,
            Gates gates,
            ServerMachine machine,
            SimDisk chunks,
            SimExchange exchange) {}
}
