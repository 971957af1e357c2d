package io.uniserve.simulator.cluster;

import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.registry.SimEnsemble;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.SimRoutingView;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Workload of two atomic tables that are partitioned by time. Updates have rows of several chunks, some late, in the future, or of a chunk
 * that is about to expire. Reads are of one version of one or both tables, in all modes. Chunks are made by clients at once, and requests for
 * them and their replies get lost. A bill is written after its event is acknowledged.
 *
 * <p>After the end a last update and last reads must succeed. Then all chunks expire, and nothing of them may stay.
 */
public final class AtomicTimeWorkload {
    /** The table with events. */
    public static final TableName EVENTS = new TableName("events");

    private static final TableName BILLS = new TableName("bills");
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final long UPDATE_NANOS_MAX = 20 * SECOND;
    private static final long READ_NANOS = 8 * SECOND;
    private static final long PROBE_NANOS = 30 * SECOND;
    private static final int PROBES_REPEATED_MAX = 5;
    private static final String COLUMN = "ts";
    private static final List<String> ZONES = List.of("UTC", "Europe/Rome", "Australia/Lord_Howe", "America/New_York");
    private static final List<Fault> DATA_LOSS_FAULTS =
            List.of(Fault.BIT_FLIPPED, Fault.DISK_DESTROYED, Fault.ACTOR_LOST);

    /**
     * Speed of wall clocks with the periods that fit it.
     *
     * @param rate wall time per virtual time
     * @param spanHours hours that rows are late at most, with few exceptions
     */
    private record Pace(
            long rate, List<String> chunks, List<String> retentions, String ahead, long spanHours, int bucketsMax) {}

    /** A chunk lives for some seconds. */
    private static final Pace FAST =
            new Pace(10_000, List.of("PT6H", "PT8H", "P1D"), List.of("PT18H", "P1D"), "PT12H", 24, 3);

    /** A chunk lives for more than a minute, and so may be lost and restored. */
    private static final Pace SLOW = new Pace(1_000, List.of("PT2H", "PT3H"), List.of("PT18H"), "PT2H", 8, 2);

    /** Chunks have unequal lengths. */
    private static final Pace MONTHS = new Pace(200_000, List.of("P1M"), List.of("P1M"), "P10D", 24 * 40, 2);

    private final SimulationContext world;
    private final SimCluster cluster;
    private final Scenario scenario;
    private final Prng random;
    private final Pace pace;
    private final AtomicTimeTable events;
    private final AtomicTimeTable bills;
    private final List<AtomicTimeClient> clients = new ArrayList<>();
    private final TreeMap<String, Integer> results = new TreeMap<>();
    /** Numbers and newest versions of both tables after each commit of either. */
    private final List<String> states = new ArrayList<>(List.of(""));

    private final TreeMap<TableName, String> newest = new TreeMap<>();
    private @Nullable SimRoutingView heldFeed;
    private int next;
    private int outstanding;
    private int compared;
    private boolean over;
    private boolean checked;
    private boolean probed;
    private final List<String> probesFailed = new ArrayList<>();
    private int probesRepeated;

    AtomicTimeWorkload(SimulationContext world, SimCluster cluster, Scenario scenario, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.scenario = scenario;
        this.random = random;
        boolean slow = restores() || random.below(3) == 0;
        this.pace = slow ? SLOW : random.below(4) == 0 ? MONTHS : FAST;
        world.wallTime.startAt(pace.rate);
        this.events = new AtomicTimeTable(world, EVENTS, draw(), restores());
        this.bills = new AtomicTimeTable(world, BILLS, draw(), restores());
        world.ensemble.addListener((session, zxid, applied, changed) -> applied.forEach(this::committed));
    }

    private boolean restores() {
        return scenario.onLoss() == OnLoss.RESTORE_TABLE;
    }

    private Partitioner.Time draw() {
        return new Partitioner.Time(
                COLUMN,
                new ChunkCalendar(IsoPeriod.parse("chunk", random.pick(pace.chunks)), ZoneId.of(random.pick(ZONES))),
                random.between(1, pace.bucketsMax),
                Optional.of(IsoPeriod.parse("retention", random.pick(pace.retentions))),
                IsoPeriod.parse("ahead", pace.ahead));
    }

    /** Adds a client. Call it before the start. */
    void add(AtomicTimeClient client) {
        clients.add(client);
    }

    /** Holds the maps of a client now and then, so that it lacks new chunks and has expired ones. Call it before the start. */
    void holdMapsOf(SimRoutingView feed) {
        heldFeed = feed;
    }

    private void holdMaps(SimRoutingView feed, boolean held) {
        feed.setHeld(held && !over);
        if (!over) {
            long until = held ? random.between(100 * MILLI, 2 * SECOND) : random.between(100 * MILLI, SECOND);
            world.queue.after(until, () -> holdMaps(feed, !held));
        }
    }

    AtomicTimeTable events() {
        return events;
    }

    /** Creates the tables and starts to write and read them. */
    public void begin() {
        create(events);
        create(bills);
        SimRoutingView feed = heldFeed;
        if (feed != null) {
            holdMaps(feed, false);
        }
        for (AtomicTimeClient client : clients) {
            for (int loop = 0; loop < 2; loop++) {
                work(client);
            }
        }
    }

    /** Ends writes and reads. */
    public void end() {
        over = true;
    }

    private void create(AtomicTimeTable table) {
        if (checked || table.route().isPresent()) {
            return;
        }
        TableMeta meta = new TableMeta(
                        table.name(),
                        0,
                        table.time(),
                        ActorKeys.KEY_FIELD,
                        world.level(),
                        scenario.rf(),
                        scenario.minIsr(),
                        scenario.onLoss(),
                        KvEngine.NAME,
                        Map.of())
                .with(scenario.durability());
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(
                        new AdminRequest.CreateTable(meta),
                        outcome -> world.trace.line("create table " + table.name() + " " + outcome)));
        world.queue.after(SECOND, () -> create(table));
    }

    private void work(AtomicTimeClient client) {
        world.queue.after(random.below(random.below(10) == 0 ? SECOND : 200 * MILLI), () -> {
            if (!over) {
                step(client, ended -> work(client));
            }
        });
    }

    private void step(AtomicTimeClient client, Consumer<Optional<ErrorCode>> then) {
        AtomicTimeTable table = random.below(3) == 0 ? bills : events;
        List<AtomicTimeTable> both = random.below(2) == 0 ? List.of(events, bills) : List.of(bills, events);
        List<AtomicTimeTable> some = random.below(2) == 0 ? both : List.of(table);
        switch (random.below(10)) {
            case 0, 1, 2, 3 -> eventAndBill(client, random.between(4 * SECOND, UPDATE_NANOS_MAX), then);
            case 4, 5, 6 -> client.read(table, READ_NANOS, random.below(2) == 0, then);
            case 7 -> client.strict(some, READ_NANOS, then);
            case 8 ->
                client.rounds(some, random.below(2) == 0 ? ReadMode.STRICT : ReadMode.LINEARIZABLE, READ_NANOS, then);
            default -> client.stale(table, READ_NANOS, then);
        }
    }

    private void eventAndBill(AtomicTimeClient client, long nanos, Consumer<Optional<ErrorCode>> then) {
        client.update(events, "e" + next++, () -> rowTime(events), nanos, error -> {
            if (error.isEmpty() && random.below(2) == 0) {
                client.update(bills, "b" + next++, () -> rowTime(bills), nanos, then);
            } else {
                then.accept(error);
            }
        });
    }

    /** Time of a row: mostly recent, sometimes far too late or in the future, often of the chunk that expires next. */
    long rowTime(AtomicTimeTable table) {
        long now = world.wallTime.millis();
        long span = spanMillis();
        return switch (random.below(12)) {
            case 0 -> now - 2 * span - random.below(4 * span);
            case 1 -> now + random.below(span);
            case 2, 3 ->
                table.route()
                        .flatMap(route -> route.map().actors().stream().findFirst())
                        .map(oldest -> table.time().chunks().start(table.time().ordinalOf(oldest.actor())))
                        .orElse(now);
            default -> now - random.below(span);
        };
    }

    /** Time by which most rows are late at most. */
    long spanMillis() {
        return pace.spanHours * HOUR_MILLIS;
    }

    // ---- what clients report

    /** An operation has started. */
    void started() {
        outstanding++;
    }

    /** An operation has ended. */
    void ended(Optional<ErrorCode> error) {
        outstanding--;
        results.merge(error.map(ErrorCode::name).orElse("OK"), 1, Integer::sum);
    }

    /** False once a fault may have destroyed data of a table that does not go back to a version. */
    boolean isJudged() {
        return restores() || DATA_LOSS_FAULTS.stream().noneMatch(world.faultIntensity.counts()::containsKey);
    }

    private void committed(SimEnsemble.Applied one) {
        SimEnsemble.State after = one.after();
        if (after != null && after.value() instanceof TransactionLogState log) {
            for (TableName table : List.of(EVENTS, BILLS)) {
                if (one.op().path().equals(RegistryPaths.log(table, log.tableId()))) {
                    newest.put(table, log.tableId() + "/" + log.committedVersion());
                    String state = newest.toString();
                    if (!state.equals(states.get(states.size() - 1))) {
                        states.add(state);
                    }
                }
            }
        }
    }

    /** Position of the present state of the registry, for the check of a snapshot that is taken now. */
    int snapshotStart() {
        return states.size() - 1;
    }

    /** CUT: the versions of the tables were the newest ones together after the read began. */
    void checkSnapshot(int start, ConsistentSnapshot taken) {
        TreeMap<TableName, String> seen = new TreeMap<>();
        taken.tables().forEach(table -> seen.put(table.name(), table.tableId() + "/" + table.version()));
        world.faultIntensity.count(Fault.MOMENT_READ);
        String pair = seen.toString();
        String inside = pair.substring(1, pair.length() - 1);
        if (states.subList(start, states.size()).stream().noneMatch(state -> has(state, inside))) {
            world.violations.add("CUT", seen + " were never the newest versions together since " + states.get(start));
        }
    }

    private static boolean has(String state, String part) {
        return (state.replace('{', ' ').replace('}', ',') + " ").contains(" " + part + ",");
    }

    // ---- the end

    /** True if the primaries of all actors of both tables answer reads. */
    public boolean isServing() {
        return List.of(events, bills).stream().allMatch(table -> {
            Optional<TableRoute> route = table.route();
            return route.isPresent()
                    && route.get().map().actors().stream().allMatch(actor -> serves(actor, route.get()));
        });
    }

    private boolean serves(ActorState actor, TableRoute route) {
        return cluster.isServing(actor, route.meta().tableId());
    }

    /** Sends the last update and reads, which must succeed. Then clocks run fast, so that all chunks expire. */
    public void probe() {
        probe(0);
    }

    private void probe(int step) {
        AtomicTimeClient client = clients.get(0);
        List<AtomicTimeTable> both = List.of(events, bills);
        Consumer<Optional<ErrorCode>> then = error -> {
            boolean again = error.equals(Optional.of(ErrorCode.TABLE_RESTORED))
                    || error.equals(
                            Optional.of(ErrorCode.CHUNK_EXPIRED)); // it had to wait for longer than a chunk lives
            if (again && probesRepeated++ < PROBES_REPEATED_MAX) {
                probe(step);
                return;
            }
            error.ifPresent(code -> probesFailed.add(step + ": " + code));
            probe(step + 1);
        };
        switch (step) {
            case 0 -> client.update(events, "e" + next++, world.wallTime::millis, PROBE_NANOS, then);
            case 1 -> client.update(bills, "b" + next++, world.wallTime::millis, PROBE_NANOS, then);
            case 2 -> client.read(events, PROBE_NANOS, true, then);
            case 3 -> client.strict(both, PROBE_NANOS, then);
            case 4 -> client.rounds(both, ReadMode.LINEARIZABLE, PROBE_NANOS, then);
            default -> {
                probed = true;
                world.wallTime.changeTo(Math.max(pace.rate, FAST.rate));
            }
        }
    }

    /** What is still there after the end; empty if nothing is. */
    public Optional<String> remains() {
        if (outstanding > 0 || !probed) {
            return Optional.of(outstanding + " operations of tables of time are under way");
        }
        Supplier<Optional<String>> ofBills = () -> bills.remains(cluster.servers());
        return events.remains(cluster.servers()).or(ofBills);
    }

    /** Runs the checks of both histories. Call it once. */
    public void check() {
        checked = true;
        compared = events.check() + bills.check();
        world.trace.line("atomic time compared " + compared + " rows, "
                + (events.maps().expired() + bills.maps().expired()) + " actors expired, "
                + (events.maps().commits() + bills.maps().commits()) + " commits, results " + results);
        if (!probesFailed.isEmpty() && isJudged() && !world.objects.hasCorrupted("")) {
            world.violations.add("LIVE", "operations on tables of time after the last fault failed: " + probesFailed);
        }
    }
}
