package io.uniserve.simulator.cluster;

import io.uniserve.api.Document;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.model.ActorState;
import io.uniserve.model.PartitionKey;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.port.kv.KvOperators;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.simulator.check.TableTimelines;
import io.uniserve.simulator.check.TimelineCheck;
import io.uniserve.simulator.check.chunk.ChunkAtomicityCheck;
import io.uniserve.simulator.check.chunk.ChunkHistory;
import io.uniserve.simulator.check.chunk.ChunkMapCheck;
import io.uniserve.simulator.kernel.Fault;
import io.uniserve.simulator.workload.ActorKeys;
import io.uniserve.simulator.workload.SimRoutingView;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Atomic table that is partitioned by time, with the history of its requests and its checks. */
final class AtomicTimeTable implements BackedUpTable {
    private final SimulationContext world;
    private final TableName name;
    private final Partitioner.Time time;
    private final ChunkHistory history = new ChunkHistory();
    private final Map<String, Integer> sent = new TreeMap<>();
    private final ChunkMapCheck maps;
    private final Optional<TimelineCheck> timeline;

    /** @param restores true for a table with {@code onLoss} RESTORE_TABLE */
    AtomicTimeTable(SimulationContext world, TableName name, Partitioner.Time time, boolean restores) {
        this.world = world;
        this.name = name;
        this.time = time;
        this.maps = new ChunkMapCheck(world.violations, name, time, world.queue::now);
        world.ensemble.addListener(maps);
        world.observer.addVoteListener(maps::voted);
        this.timeline = restores
                ? Optional.of(new TimelineCheck(
                        world.violations, world.trace, name, () -> world.faultIntensity.count(Fault.TABLE_RESTORED)))
                : Optional.empty();
        timeline.ifPresent(check -> {
            world.ensemble.addListener(check);
            world.objects.listen(check::stored);
        });
    }

    @Override
    public TableName name() {
        return name;
    }

    @Override
    public Partitioner.Time time() {
        return time;
    }

    @Override
    public Map<String, Integer> sent() {
        return sent;
    }

    ChunkHistory history() {
        return history;
    }

    ChunkMapCheck maps() {
        return maps;
    }

    /** The table's definition and map in the registry. */
    Optional<TableRoute> route() {
        return SimRoutingView.routing(world.ensemble, world.ensemble.zxid()).tables().stream()
                .filter(route -> route.meta().name().equals(name))
                .findFirst();
    }

    /** The table's transaction log in the registry. */
    Optional<TransactionLogState> log() {
        return route().flatMap(route -> world.ensemble
                                .read(RegistryPaths.log(name, route.meta().tableId()), world.ensemble.zxid())
                                .value()
                        instanceof TransactionLogState log
                ? Optional.of(log)
                : Optional.empty());
    }

    /** The row of an update for an actor, with a key of the actor's bucket. */
    Bytes rows(String key, long at, String marker, int actor) {
        String row = ChunkHistory.row(marker, actor);
        sent.put(row, actor);
        Map<String, Object> fields = new TreeMap<>();
        fields.put(ActorKeys.KEY_FIELD, key);
        fields.put(time.column(), at);
        fields.put("value", row);
        return Codecs.list(Document.CODEC).encode(List.of(new Document(ActorKeys.KEY_FIELD, Map.copyOf(fields))));
    }

    int actorOf(long at, String key) {
        return time.actorOf(at, PartitionKey.of(key));
    }

    /** The values of each list in these answers, by its actor and key. The values of a list are of one actor. */
    TreeMap<String, List<String>> lists(Collection<Bytes> parts) {
        TreeMap<String, List<String>> lists = new TreeMap<>();
        for (Bytes part : parts) {
            for (Document document : KvOperators.SCAN.values().decode(part)) {
                if (document.fields().get("values") instanceof List<?> values && !values.isEmpty()) {
                    List<String> rows = values.stream().map(String::valueOf).toList();
                    String actor = rows.get(0).substring(rows.get(0).indexOf('@') + 1);
                    String list = actor + "/" + document.fields().get(ActorKeys.KEY_FIELD);
                    if (lists.put(list, rows) != null) {
                        world.violations.add("I20", "table " + name + ": a read has list " + list + " twice");
                    }
                }
            }
        }
        return lists;
    }

    @Override
    public Map<Integer, TreeSet<String>> acknowledged() {
        Map<Integer, TreeSet<String>> rows = new TreeMap<>();
        TableTimelines eras = timelines();
        for (ChunkHistory.Write write : history.writes()) {
            if (write.version() > 0 && !eras.isLost(write.version())) {
                write.actors()
                        .forEach(actor -> rows.computeIfAbsent(actor, unused -> new TreeSet<>())
                                .add(ChunkHistory.row(write.marker(), actor)));
            }
        }
        return rows;
    }

    /** A restored table has all rows of an update in its actors, or none. */
    @Override
    public void checkRestored(Map<Integer, TreeSet<String>> rows) {
        Map<String, Set<Integer>> found = new HashMap<>();
        rows.forEach((actor, some) ->
                some.forEach(row -> found.computeIfAbsent(ChunkHistory.marker(row), unused -> new HashSet<>())
                        .add(actor)));
        found.forEach((marker, actors) -> {
            ChunkHistory.Write write = history.find(marker);
            if (write != null) {
                write.actors().stream()
                        .filter(actor -> rows.containsKey(actor) && !actors.contains(actor))
                        .forEach(actor -> world.violations.add(
                                "I3",
                                "table " + name + " was restored with " + marker + " in actors " + actors
                                        + ", and without it in actor " + actor));
            }
        });
    }

    TableTimelines timelines() {
        return timeline.map(TimelineCheck::timelines).orElseGet(TableTimelines::single);
    }

    /** Checks the whole history. Returns the number of rows that were compared. */
    int check() {
        ChunkAtomicityCheck check = new ChunkAtomicityCheck(world.violations, name.value(), time, history, timelines());
        check.run();
        return check.compared();
    }

    /** What is still there when all chunks must be expired; empty if nothing is. */
    Optional<String> remains(Collection<ServerNode> servers) {
        Optional<TableRoute> route = route();
        if (route.isEmpty()) {
            return Optional.of("table " + name + " was never made");
        }
        List<ActorState> actors = route.get().map().actors();
        if (!actors.isEmpty()) {
            return Optional.of(
                    "table " + name + " still has " + route.get().map().describeNumbers());
        }
        if (log().map(log -> log.inFlight() != null && !log.inFlight().isStartedAhead())
                .orElse(true)) {
            return Optional.of("table " + name + " without actors has a version in flight: " + log());
        }
        return servers.stream()
                .filter(server -> server.hasFiles(route.get().meta().tableId()))
                .findFirst()
                .map(server -> server.id() + " holds files of expired chunks of table " + name);
    }
}
