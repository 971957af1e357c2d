package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.port.kv.KvUpdateFunctions;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.client.query.Query;
import io.uniserve.protocol.client.query.QueryExecution;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.client.routing.ClientContext;
import io.uniserve.protocol.client.update.RequestTracker;
import io.uniserve.protocol.client.update.Update;
import io.uniserve.protocol.client.update.UpdateExecution;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.kernel.Prng;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Workload of a table that is created, written, altered, dropped and created again under the same name. It checks three conditions. A table
 * shows no rows of earlier tables of its name. No server keeps files of a dropped table. No acknowledged change of options is lost.
 */
public final class TableLifecycleWorkload {
    private static final TableName TABLE = new TableName("side");
    private static final String OPTION = MutableOptions.mutableName("number");
    private static final long SECOND = 1_000_000_000L;

    private final SimulationContext world;
    private final SimCluster cluster;
    private final int rf;
    private final ClientContext env;
    private final RequestTracker tracker;
    private final Prng random;
    private final Partitioner partitioner;
    private final ActorKeys keys;
    private final Map<Long, TreeSet<String>> sent = new TreeMap<>();
    private boolean used;
    private boolean over;
    private int next;
    private int changes;

    TableLifecycleWorkload(SimulationContext world, SimCluster cluster, int rf, ClientContext env, Prng random) {
        this.world = world;
        this.cluster = cluster;
        this.rf = rf;
        this.env = env;
        this.tracker = new RequestTracker(env.ids());
        this.random = random;
        this.partitioner = new Partitioner.Hash(random.between(1, 4));
        this.keys = new ActorKeys(partitioner);
    }

    /** Creates the table if it is absent, else drops it. */
    public void toggle() {
        if (!used) {
            used = true;
            work();
        }
        Optional<TableRoute> route = route();
        if (route.isPresent()) {
            drop();
            world.faultIntensity.count(Fault.TABLE_DROPPED);
            return;
        }
        TableMeta meta = new TableMeta(
                TABLE,
                0,
                partitioner,
                ActorKeys.KEY_FIELD,
                ConsistencyLevel.EVENTUAL,
                rf,
                1,
                OnLoss.WAIT,
                KvEngine.NAME,
                Map.of());
        ask(new AdminRequest.CreateTable(meta));
    }

    private void drop() {
        ask(new AdminRequest.DropTable(TABLE));
    }

    private void ask(AdminRequest request) {
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(
                        request,
                        outcome -> world.trace.line(request.getClass().getSimpleName() + " side "
                                + (outcome instanceof Outcome.Err<?> err
                                        ? err.error().code()
                                        : "ok"))));
    }

    private Optional<TableRoute> route() {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .filter(route -> route.meta().name().equals(TABLE))
                .findFirst();
    }

    /** Ends the workload. It drops the table repeatedly, as a creation may still be under way. */
    public void end() {
        over = true;
        if (used) {
            if (route().isPresent()) {
                drop();
            }
            world.queue.after(SECOND, this::end);
        }
    }

    /** State of dropped tables that is still there after the end; empty if there is none. */
    public Optional<String> remains() {
        route().ifPresent(route -> sent.putIfAbsent(route.meta().tableId(), new TreeSet<>()));
        if (route().isPresent()) {
            return Optional.of("table side is still there");
        }
        for (long tableId : sent.keySet()) {
            for (ServerNode server : cluster.servers()) {
                if (server.hasFiles(tableId)) {
                    return Optional.of(server.id() + " holds files of the dropped table " + tableId);
                }
            }
        }
        return definitionThatRemains();
    }

    /** A definition from which a new cluster would restore a dropped table; empty if there is none, and none can come back. */
    private Optional<String> definitionThatRemains() {
        if (!used || !world.hasStorage()) {
            return Optional.empty();
        }
        if (world.objects.repetitionsDue() > 0) {
            return Optional.of("some puts of durable storage may still take effect");
        }
        return StoredTableDefinition.newest(world.objects.keys(), SimulationContext.CLUSTER).entrySet().stream()
                .filter(entry -> sent.containsKey(entry.getKey()))
                .map(entry -> "durable storage has the definition of the dropped table " + entry.getKey() + ": "
                        + entry.getValue())
                .findFirst();
    }

    private void work() {
        world.queue.after(random.below(SECOND), () -> {
            if (!over) {
                env.routing().current().table(TABLE).ifPresent(route -> {
                    long tableId = route.meta().tableId();
                    int what = random.below(12);
                    if (what == 0) {
                        change(route.meta());
                    } else if (what <= 7) {
                        append(tableId);
                    } else {
                        read(tableId);
                    }
                });
                work();
            }
        });
    }

    /** A change is conditional on the definition before it, so option values must ascend. */
    private void change(TableMeta known) {
        int number = ++changes;
        Map<String, String> options = Map.of(OPTION, Integer.toString(number));
        cluster.leader()
                .ifPresent(leader -> leader.onAdmin(new AdminRequest.UpdateTable(known, options), outcome -> {
                    if (outcome instanceof Outcome.Ok) {
                        route().filter(now -> now.meta().tableId() == known.tableId())
                                .map(now -> now.meta().options().getOrDefault(OPTION, "0"))
                                .filter(now -> Integer.parseInt(now) < number)
                                .ifPresent(now -> world.violations.add(
                                        "I12", "change " + number + " of table side was acknowledged, it has " + now));
                    }
                    world.trace.line("UpdateTable side " + number + " "
                            + (outcome instanceof Outcome.Err<?> err
                                    ? err.error().code()
                                    : "ok"));
                }));
    }

    private void append(long tableId) {
        Optional<RequestTracker.Ticket> ticket = tracker.nextRequest();
        if (ticket.isEmpty()) {
            return;
        }
        int actor = random.below(keys.count());
        String marker = "side-" + next++;
        sent.computeIfAbsent(tableId, id -> new TreeSet<>()).add(marker);
        Update.ActorBatch batch = new Update.ActorBatch(actor, 1, keys.append(ActorKeys.list(actor, 0), marker));
        long deadline = env.clock().nanos() + 5 * SECOND;
        Update update =
                new Update(TABLE, tableId, KvUpdateFunctions.APPEND.id(), AckLevel.ISR, List.of(batch), deadline);
        new UpdateExecution(env, update, ticket.get(), outcome -> ticket.get().finish()).start();
    }

    private void read(long tableId) {
        int actor = random.below(keys.count());
        Bytes key = KvOperators.GET.parameters().encode(keys.key(ActorKeys.list(actor, 0)));
        long deadline = env.clock().nanos() + 5 * SECOND;
        Query query = new Query(
                TABLE, Optional.of(List.of(actor)), KvOperators.GET.id(), key, ReadMode.LINEARIZABLE, deadline);
        new QueryExecution(env, query, outcome -> {
                    if (outcome instanceof Outcome.Ok<QueryResult> ok) {
                        check(tableId, ok.value());
                    }
                })
                .start();
    }

    /** Checks the answer only if the table is still the same one after the read. */
    private void check(long tableId, QueryResult result) {
        boolean same = env.routing()
                .current()
                .table(TABLE)
                .filter(route -> route.meta().tableId() == tableId)
                .isPresent();
        List<Document> documents = new ArrayList<>();
        result.parts().forEach(part -> documents.addAll(KvOperators.GET.values().decode(part)));
        TreeSet<String> known = sent.getOrDefault(tableId, new TreeSet<>());
        keys.lists(documents)
                .values()
                .forEach(markers -> markers.forEach(marker -> {
                    if (same && !known.contains(marker)) {
                        world.violations.add(
                                "I11", "table " + tableId + " shows " + marker + ", which was sent to another");
                    }
                }));
    }
}
