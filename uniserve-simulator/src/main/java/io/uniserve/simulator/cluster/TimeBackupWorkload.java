package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.model.ActorState;
import io.uniserve.model.BackupName;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Simulated operator of the table of time: takes a named backup, restores it under another name, compares, drops the restored table, deletes
 * the backup, and starts anew. It also moves actors. Chunks are made and expire meanwhile, and coordinators die.
 *
 * <p>It checks: a restored table has each live chunk that the table had when the backup started, whole, with every row acknowledged before,
 * and only rows of its actors; chunks are left out only if they are expired; after the end no object of the table is in durable storage.
 */
public final class TimeBackupWorkload {
    private static final long SECOND = 1_000_000_000L;

    /** Time after which a request that got no reply is sent again, as its coordinator may be dead. */
    private static final long PATIENCE = 5 * SECOND;

    private static final int RESTORATIONS_MAX = 20;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final BackedUpTable table;
    private final Partitioner.Time time;
    private final Prng random;
    private State state = State.IDLE;
    private boolean over;
    private int number;
    private int restorations;

    /**
     * True if an operation got no reply and still runs, or if a backup is damaged and cannot be deleted. A server that is cut off may have a
     * request for long. Objects of either may stay.
     */
    private boolean abandoned;

    private long sentAtNanos;
    private boolean waiting;
    private int compared;
    private String last = "";

    /** State of the table when the current backup started: its live actors, and the rows acknowledged until then. */
    private TreeSet<Integer> actors = new TreeSet<>();

    private Map<Integer, TreeSet<String>> rows = new TreeMap<>();

    /**
     * Steps of the operator, in this order, and IDLE again after DELETING. Any failure, and no reply, leads to
     * DROPPING.
     */
    private enum State {
        IDLE,
        TAKING,
        RESTORING,
        COMPARING,
        DROPPING,
        DELETING
    }

    private TimeBackupWorkload(SimulationContext world, SimCluster cluster, BackedUpTable table, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.table = table;
        this.time = table.time();
        this.random = random;
    }

    /** The operator of an eventual table. */
    public static TimeBackupWorkload of(
            SimulationContext world, SimCluster cluster, TimeTableWorkload workload, Prng random) {
        return new TimeBackupWorkload(world, cluster, workload, random);
    }

    /** The operator of the first table of an atomic workload. */
    public static TimeBackupWorkload of(
            SimulationContext world, SimCluster cluster, AtomicTimeWorkload workload, Prng random) {
        return new TimeBackupWorkload(world, cluster, workload.events(), random);
    }

    /** Starts the workload. */
    public void begin() {
        world.queue.after(random.between(SECOND, 4 * SECOND), this::step);
    }

    /** Ends it after the current backup. */
    public void end() {
        over = true;
    }

    /** Number of rows of restored tables that were compared. */
    public int compared() {
        return compared;
    }

    /** What is still there after the end; empty if nothing is. */
    public Optional<String> remains() {
        if (state != State.IDLE) {
            return Optional.of("the operator of table " + table.name() + " is " + state + ": " + last);
        }
        long tableId = route(table.name()).map(route -> route.map().tableId()).orElse(0L);
        if (abandoned || world.objects.hasCorrupted("")) {
            return Optional.empty(); // objects that an unreadable pin may need stay too
        }
        return world.objects.keys().stream()
                .filter(key -> key.matches("backup/[^/]+/" + tableId + "/.*"))
                .filter(key -> !isKeptByRepetition(key))
                .findFirst()
                .map(key -> "all chunks are expired and all backups deleted, and durable storage has " + key);
    }

    /** True if the object, or a pin of its actor, is there because a put took effect once more, maybe after the last cleaning. */
    private boolean isKeptByRepetition(String key) {
        String pins = key.replaceFirst("(backup/[^/]+/\\d+/\\d+/).*", "$1pin/");
        return world.objects.isRevived(key)
                || world.objects.keys().stream()
                        .anyMatch(other -> other.startsWith(pins) && world.objects.isRevived(other));
    }

    private Optional<TableRoute> route(TableName name) {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .filter(route -> route.meta().name().equals(name))
                .findFirst();
    }

    private TableName restored() {
        return new TableName(table.name() + "-restored-" + number);
    }

    private BackupName name() {
        return new BackupName("tb" + number);
    }

    private void step() {
        if (!over && random.below(30) == 0) {
            route(table.name()).ifPresent(this::move);
        }
        if (waiting && world.queue.now() - sentAtNanos < PATIENCE) {
            world.queue.after(SECOND / 10, this::step);
            return;
        }
        if (waiting) {
            waiting = false;
            state = state == State.DELETING ? State.DELETING : State.DROPPING;
        }
        switch (state) {
            case IDLE -> start();
            case TAKING -> send(new AdminRequest.BackupTable(table.name(), name()), this::onTaken);
            case RESTORING -> restore();
            case COMPARING -> compare();
            case DROPPING -> drop();
            case DELETING -> send(new AdminRequest.DeleteBackup(name()), this::onDeleted);
        }
        if (!over || state != State.IDLE) {
            world.queue.after(SECOND / 10, this::step);
        }
    }

    /** Requests the move of a replica of an actor, which may expire meanwhile. */
    private void move(TableRoute route) {
        if (route.map().actors().isEmpty()) {
            return;
        }
        ActorState actor = random.pick(route.map().actors());
        List<ServerId> servers = cluster.servers().stream().map(ServerNode::id).toList();
        AdminRequest request = new AdminRequest.MoveReplica(
                table.name(), actor.actor(), random.pick(actor.desiredServers()), random.pick(servers));
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(
                        request,
                        outcome -> world.trace.line("move of " + table.name() + " " + actor.actor() + " "
                                + (outcome instanceof Outcome.Ok<AdminReply> ? "ok" : "refused"))));
    }

    private void start() {
        Optional<TableRoute> route = route(table.name());
        if (over || route.isEmpty() || random.below(10) > 0) {
            return;
        }
        number++;
        restorations = 0;
        actors = new TreeSet<>(route.get().map().numbers());
        rows = table.acknowledged();
        state = State.TAKING;
    }

    private void onTaken(Outcome<AdminReply> outcome) {
        if (outcome instanceof Outcome.Ok<AdminReply>) {
            world.faultIntensity.count(Fault.BACKUP_TAKEN);
            state = State.RESTORING;
        } else {
            // a backup whose reply was lost may be complete: it is one of a later state, and is not compared
            state = State.DROPPING;
        }
    }

    private void restore() {
        if (route(restored()).isPresent()) {
            state = State.COMPARING;
        } else {
            send(new AdminRequest.RestoreTable(name(), restored()), outcome -> {
                if (route(restored()).isPresent()) {
                    state = State.COMPARING;
                } else if (++restorations == RESTORATIONS_MAX) { // durable storage lies while faults are injected
                    state = State.DROPPING;
                }
            });
        }
    }

    /** Compares the restored table once all its actors serve. An actor that expires meanwhile is not compared. */
    private void compare() {
        Optional<TableRoute> found = route(restored());
        if (found.isEmpty()) {
            state = State.DROPPING;
            return;
        }
        TableMap map = found.get().map();
        if (!map.actors().stream().allMatch(actor -> cluster.isServing(actor, map.tableId()))) {
            return; // an expired one leaves the map in the end
        }
        checkActors(map);
        TreeMap<Integer, TreeSet<String>> restored = new TreeMap<>();
        for (ActorState actor : map.actors()) {
            restored.put(actor.actor(), checkRows(actor, map.tableId()));
        }
        table.checkRestored(restored);
        state = State.DROPPING;
    }

    private void checkActors(TableMap map) {
        long latest = world.wallTime.millis() + world.wallTime.skewMillisMax();
        for (int actor : actors) {
            boolean expired = time.ordinalOf(actor) < map.expiredBefore();
            if (!expired && !map.has(actor)) {
                violation("the restored table lacks actor " + actor + ", which was live when its backup started");
            }
            if (expired && !time.isExpired(time.ordinalOf(actor), latest)) {
                violation("the restored table left actor " + actor + " out, whose chunk is not expired");
            }
        }
        for (int actor : map.numbers()) {
            int first = time.firstActor(time.ordinalOf(actor));
            if (!map.has(first) || !map.has(first + time.buckets() - 1)) {
                violation("the restored table has actor " + actor + ", and not its whole chunk");
            }
        }
    }

    private TreeSet<String> checkRows(ActorState actor, long tableId) {
        TreeSet<String> found = new TreeSet<>();
        for (Document document : cluster.documents(actor, tableId)) {
            if (document.fields().get("values") instanceof List<?> values) {
                values.forEach(value -> found.add(String.valueOf(value)));
            }
        }
        for (String row : found) {
            if (!Integer.valueOf(actor.actor()).equals(table.sent().get(row))) {
                violation("restored actor " + actor.actor() + " has row " + row + ", which was never sent to it");
            }
        }
        for (String row : rows.getOrDefault(actor.actor(), new TreeSet<>())) {
            compared++;
            if (!found.contains(row)) {
                violation("restored actor " + actor.actor() + " lacks row " + row
                        + ", which was acknowledged before its backup started");
            }
        }
        return found;
    }

    private void drop() {
        if (route(restored()).isEmpty()) {
            state = State.DELETING;
        } else {
            send(new AdminRequest.DropTable(restored()), outcome -> {});
        }
    }

    private void onDeleted(Outcome<AdminReply> outcome) {
        boolean running = last.contains("another operation");
        boolean deleted =
                outcome instanceof Outcome.Ok<AdminReply> || outcome.error().code() == ErrorCode.BACKUP_NOT_FOUND;
        boolean damaged = !deleted && world.objects.hasCorrupted(""); // it may stay for good
        abandoned |= running || damaged;
        if (running || (deleted || damaged) && route(restored()).isEmpty()) {
            state = State.IDLE;
        } else {
            state = State.DROPPING;
        }
    }

    private void send(AdminRequest request, Consumer<Outcome<AdminReply>> then) {
        sentAtNanos = world.queue.now();
        waiting = true;
        long attempt = sentAtNanos;
        cluster.leader()
                .ifPresentOrElse(
                        leader -> leader.onAdmin(request, outcome -> {
                            last = outcome instanceof Outcome.Err<AdminReply> err
                                    ? err.error().getMessage()
                                    : "ok";
                            world.trace.line(request.getClass().getSimpleName() + " " + number + " of " + table.name()
                                    + ": " + last);
                            if (waiting && attempt == sentAtNanos) {
                                waiting = false;
                                then.accept(outcome);
                            }
                        }),
                        () -> waiting = false);
    }

    private void violation(String what) {
        world.violations.add("I20", "backups of table " + table.name() + ": " + what);
    }
}
