package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.update.ChunkRequester;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.UpdateExecution;
import io.uniserve.protocol.client.update.UpdateResult;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.SimRoutingView;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * Workload of a table that is partitioned by time, with clients that write and read it at once. A second of virtual time is hours of wall
 * time, so chunks are made and expire under faults. Requests for chunks and their replies get lost, and rows are late or in the future.
 *
 * <p>It checks: a read asks each live actor that it covers and that has a row acknowledged before to any client, has all such rows of its
 * own client, and only rows of chunks that it covers; an expired chunk never comes back, whatever a leader's clock shows; the watermark
 * never falls; after the end every actor is dropped, with its files. A follower may apply the rows of other clients a moment later.
 */
public final class TimeTableWorkload implements BackedUpTable {
    static final TableName TABLE = new TableName("times");
    private static final String COLUMN = "ts";
    private static final long SECOND = 1_000_000_000L;
    private static final long HOUR_MILLIS = 3_600_000;
    private static final List<String> CHUNKS = List.of("PT6H", "PT8H", "P1D", "P1DT12H");
    private static final String MONTH = "P1M";

    /** Speed of wall clocks: a second is nearly three hours, or, with chunks of a month, more than two days. */
    private static final long RATE = 10_000;

    private static final long MONTH_RATE = 20 * RATE;
    private static final List<String> ZONES = List.of("UTC", "Europe/Rome", "Australia/Lord_Howe", "America/New_York");
    private static final int KEYS = 5;
    private static final int SCANNED_MAX = 10_000;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final int rf;
    private final List<ClientContext> clients;
    private final List<RequestTracker> trackers = new ArrayList<>();
    private final Prng random;
    private final Partitioner.Time time;

    /** An hour, or as much more as the clocks are faster. */
    private final long hourMillis;

    /** Actor per row that was sent, and the rows that were acknowledged, per actor. */
    private final Map<String, Integer> sent = new TreeMap<>();

    private final Map<Integer, TreeSet<String>> acknowledged = new TreeMap<>();
    private final List<TreeSet<String>> acknowledgedToClient = new ArrayList<>();
    private final TreeSet<Integer> seen = new TreeSet<>();
    private final TreeSet<Integer> gone = new TreeSet<>();
    private final TreeMap<ErrorCode, Integer> refused = new TreeMap<>();
    private int watermark;
    private int next;
    private int compared;
    private long tableId;
    private boolean over;

    TimeTableWorkload(SimulationContext world, SimCluster cluster, int rf, List<ClientContext> clients, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.rf = rf;
        this.clients = clients;
        clients.forEach(client -> {
            trackers.add(new RequestTracker(client.ids()));
            acknowledgedToClient.add(new TreeSet<>());
        });
        this.random = random;
        String zone = random.pick(ZONES);
        boolean months = random.below(4) == 0; // of unequal lengths, some with an hour more or less
        String retention = months ? MONTH : random.below(2) == 0 ? "PT18H" : "P1D";
        this.time = new Partitioner.Time(
                COLUMN,
                new ChunkCalendar(IsoPeriod.parse("chunk", months ? MONTH : random.pick(CHUNKS)), ZoneId.of(zone)),
                random.between(1, 3),
                Optional.of(IsoPeriod.parse("retention", retention)),
                IsoPeriod.parse("ahead", months ? "P10D" : "PT12H"));
        world.wallTime.startAt(months ? MONTH_RATE : RATE);
        this.hourMillis = HOUR_MILLIS * (months ? MONTH_RATE / RATE : 1);
    }

    /** Creates the table and starts to write and read it. */
    public void begin() {
        create();
        watch();
        for (int client = 0; client < clients.size(); client++) {
            work(client);
        }
    }

    /** Ends writes and reads. The chunks then expire one by one. */
    public void end() {
        over = true;
    }

    @Override
    public TableName name() {
        return TABLE;
    }

    @Override
    public Partitioner.Time time() {
        return time;
    }

    @Override
    public Map<String, Integer> sent() {
        return sent;
    }

    @Override
    public void checkRestored(Map<Integer, TreeSet<String>> rows) {
        // the actors of an eventual table are independent
    }

    @Override
    public Map<Integer, TreeSet<String>> acknowledged() {
        Map<Integer, TreeSet<String>> copy = new TreeMap<>();
        acknowledged.forEach((actor, rows) -> copy.put(actor, new TreeSet<>(rows)));
        return copy;
    }

    /** Number of rows that reads were compared with. */
    public int compared() {
        return compared;
    }

    /** Number of chunks that expired. */
    public int expired() {
        return gone.size();
    }

    /** What is still there after the end, when all chunks must be expired; empty if nothing is. */
    public Optional<String> remains() {
        Optional<TableRoute> route = route();
        if (route.isEmpty()) {
            return Optional.of("table " + TABLE + " was never made");
        }
        if (!route.get().map().actors().isEmpty()) {
            return Optional.of(
                    "table " + TABLE + " still has " + route.get().map().describeNumbers());
        }
        for (ServerNode server : cluster.servers()) {
            if (server.hasFiles(tableId)) {
                return Optional.of(server.id() + " holds files of expired chunks of table " + TABLE);
            }
        }
        return Optional.empty();
    }

    private void create() {
        if (over || route().isPresent()) {
            return;
        }
        TableMeta meta = new TableMeta(
                TABLE,
                0,
                time,
                ActorKeys.KEY_FIELD,
                ConsistencyLevel.EVENTUAL,
                rf,
                1,
                OnLoss.WAIT,
                KvEngine.NAME,
                Map.of());
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(
                        new AdminRequest.CreateTable(meta), outcome -> world.trace.line("create times")));
        world.queue.after(SECOND, this::create);
    }

    private Optional<TableRoute> route() {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .filter(route -> route.meta().name().equals(TABLE))
                .findFirst();
    }

    /** Checks the map in the registry a few times per second, also after the end. */
    private void watch() {
        route().ifPresent(this::checkMap);
        world.queue.after(SECOND / 20, this::watch);
    }

    private void checkMap(TableRoute route) {
        TableMap map = route.map();
        tableId = map.tableId();
        if (map.expiredBefore() < watermark) {
            violation("the watermark fell from " + watermark + " to " + map.expiredBefore());
        }
        watermark = Math.max(watermark, map.expiredBefore());
        TreeSet<Integer> now = new TreeSet<>(map.numbers());
        for (int actor : now) {
            if (time.ordinalOf(actor) < watermark || gone.contains(actor)) {
                violation("actor " + actor + " of an expired chunk came back");
            }
        }
        for (int actor : seen) {
            if (!now.contains(actor) && gone.add(actor) && time.ordinalOf(actor) >= watermark) {
                violation("actor " + actor + " is gone, but its chunk is not expired");
            }
        }
        seen.addAll(now);
    }

    private void violation(String what) {
        world.violations.add("I20", "table " + TABLE + ": " + what);
    }

    private void work(int client) {
        world.queue.after(random.below(SECOND / 4), () -> {
            if (!over) {
                clients.get(client).routing().current().table(TABLE).ifPresent(route -> {
                    if (random.below(3) == 0) {
                        read(client);
                    } else {
                        append(client, route);
                    }
                });
                work(client);
            }
        });
    }

    /** Time of a row: mostly of the last day, sometimes far too late, or in the future. */
    private long rowTime() {
        long now = world.wallTime.millis();
        return switch (random.below(10)) {
            case 0 -> now - (48 + random.below(200)) * hourMillis;
            case 1 -> now + random.below(20) * hourMillis;
            default -> now - random.below(30 * 60) * (hourMillis / 60);
        };
    }

    private void append(int client, TableRoute route) {
        ClientContext env = clients.get(client);
        String key = "key-" + random.below(KEYS);
        long at = rowTime();
        int actor = time.actorOf(at, PartitionKey.of(key));
        String marker = "m" + next++;
        sent.put(marker, actor);
        long deadline = env.clock().nanos() + 5 * SECOND;
        try {
            time.checkAhead(at, env.clock().wallMillis());
        } catch (UniserveException ahead) {
            refused.merge(ahead.code(), 1, Integer::sum);
            return;
        }
        long table = route.meta().tableId();
        Completion<Done> then = made -> {
            if (made instanceof Outcome.Err<Done> err) {
                refused.merge(err.error().code(), 1, Integer::sum);
            } else {
                send(client, table, actor, row(key, at, marker), marker, deadline);
            }
        };
        new ChunkRequester(
                        env,
                        new LossyLeaderCall(world, cluster, random)::send,
                        TABLE,
                        table,
                        List.of(time.ordinalOf(actor)),
                        deadline,
                        then)
                .start();
    }

    private static Bytes row(String key, long at, String marker) {
        Map<String, Object> fields = new TreeMap<>();
        fields.put(ActorKeys.KEY_FIELD, key);
        fields.put(COLUMN, at);
        fields.put("value", marker);
        return Codecs.list(Document.CODEC).encode(List.of(new Document(ActorKeys.KEY_FIELD, Map.copyOf(fields))));
    }

    private void send(int client, long table, int actor, Bytes rows, String marker, long deadline) {
        Optional<RequestTracker.Ticket> ticket = trackers.get(client).nextRequest();
        if (ticket.isEmpty()) {
            return;
        }
        Update update = new Update(
                TABLE,
                table,
                KvUpdateFunctions.APPEND.id(),
                AckLevel.ISR,
                List.of(new Update.ActorBatch(actor, 1, rows)),
                deadline);
        new UpdateExecution(clients.get(client), update, ticket.get(), outcome -> {
                    ticket.get().finish();
                    if (outcome instanceof Outcome.Ok<UpdateResult> ok) {
                        ok.value().acked().forEach(ack -> {
                            acknowledged
                                    .computeIfAbsent(ack.actor(), unused -> new TreeSet<>())
                                    .add(marker);
                            acknowledgedToClient.get(client).add(marker);
                        });
                        ok.value()
                                .failed()
                                .forEach(
                                        failure -> refused.merge(failure.error().code(), 1, Integer::sum));
                    }
                })
                .start();
    }

    /** Reads the chunks of an interval, or all. Few intervals have no chunk. */
    private void read(int client) {
        ClientContext env = clients.get(client);
        long middle = rowTime();
        long from = random.below(2) == 0 ? Long.MIN_VALUE : middle - 6 * hourMillis;
        long to = from == Long.MIN_VALUE ? Long.MAX_VALUE : middle + 6 * hourMillis;
        IntPredicate covered = actor -> time.overlaps(actor, from, to);
        Map<Integer, TreeSet<String>> before = new TreeMap<>();
        acknowledged.forEach((actor, rows) -> {
            if (covered.test(actor)) {
                before.put(actor, new TreeSet<>(rows));
            }
        });
        Query all = new Query(
                TABLE,
                Optional.empty(),
                KvOperators.SCAN.id(),
                KvOperators.SCAN.parameters().encode(new KvOperators.Scan("", SCANNED_MAX)),
                ReadMode.LINEARIZABLE,
                env.clock().nanos() + 5 * SECOND);
        TreeSet<String> own = new TreeSet<>(acknowledgedToClient.get(client));
        Query query = from == Long.MIN_VALUE ? all : all.withChoice(route -> route.actorsBetween(from, to));
        new QueryExecution(env, query, outcome -> {
                    if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                        check(covered, before, own, ok.value());
                    } else {
                        refused.merge(outcome.error().code(), 1, Integer::sum);
                    }
                })
                .start();
    }

    private void check(
            IntPredicate covered, Map<Integer, TreeSet<String>> before, TreeSet<String> own, QueryResult result) {
        TreeSet<String> found = new TreeSet<>();
        for (Bytes part : result.parts()) {
            for (Document document : KvOperators.SCAN.values().decode(part)) {
                if (document.fields().get("values") instanceof List<?> values) {
                    values.forEach(value -> found.add(String.valueOf(value)));
                }
            }
        }
        for (String marker : found) {
            Integer actor = sent.get(marker);
            if (actor == null || !covered.test(actor)) {
                violation("a read shows row " + marker + " of actor " + actor + ", which it does not cover");
            }
        }
        TableMap now = route().map(TableRoute::map).orElse(null);
        Set<Integer> asked = result.actors().stream().flatMap(List::stream).collect(Collectors.toSet());
        before.forEach((actor, rows) -> {
            if (now != null && now.has(actor)) {
                compared += rows.size();
                if (!asked.contains(actor)) {
                    violation("row " + rows.first() + " of live actor " + actor
                            + " was acknowledged, and a later read does not ask the actor");
                }
                rows.stream()
                        .filter(marker -> own.contains(marker) && !found.contains(marker))
                        .forEach(marker -> violation("row " + marker + " of live actor " + actor
                                + " was acknowledged, and a later read of its client lacks it"));
            }
        });
    }
}
