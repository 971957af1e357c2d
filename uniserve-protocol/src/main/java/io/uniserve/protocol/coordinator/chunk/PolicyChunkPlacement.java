package io.uniserve.protocol.coordinator.chunk;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.placement.ChunkPolicy;
import io.uniserve.placement.ChunkPolicy.Decision;
import io.uniserve.placement.ChunkPolicy.HeldActor;
import io.uniserve.placement.ChunkPolicy.Input;
import io.uniserve.placement.ChunkPolicy.NewChunk;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.LoadCollector;
import io.uniserve.protocol.coordinator.rebalance.ChunkSetup;
import io.uniserve.protocol.message.AdminReply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/**
 * Placement of chunks by a {@link ChunkPolicy}. It collects loads periodically while there is a table partitioned by time. Several chunks of
 * one request are placed before the map has any of them, so it remembers its newest decisions. All state may be lost.
 */
public final class PolicyChunkPlacement implements ChunkPlacement {
    private final ChunkSetup setup;
    private final ActorLoads loads = new ActorLoads();
    private final TreeMap<ReplicaKey, List<ServerId>> decided = new TreeMap<>();
    private long nextCollectNanos;
    private boolean collecting;
    private boolean begun;

    public PolicyChunkPlacement(ChunkSetup setup) {
        this.setup = setup;
    }

    /** Collects loads when it is time. Called at every tick of the leader. */
    public void tick(LeaderContext leader) {
        long now = leader.env().clock().nanos();
        boolean due = !begun || now - nextCollectNanos >= 0;
        if (collecting || !due || leader.catalog().tables().stream().noneMatch(PolicyChunkPlacement::hasChunks)) {
            return;
        }
        begun = true;
        collecting = true;
        nextCollectNanos = now + setup.periodNanos();
        LoadCollector.run(leader, reports -> {
            collecting = false;
            loads.update(reports);
        });
    }

    private static boolean hasChunks(Table table) {
        return table.meta.partitioner() instanceof Partitioner.Time;
    }

    @Override
    public List<List<ServerId>> place(LeaderContext leader, Table table, int ordinal, int replicas) {
        Partitioner.Time time = time(table);
        Decision decision = decide(leader, table, time, ordinal, replicas);
        boolean complete = decision.places().size() == time.buckets()
                && decision.places().stream().allMatch(servers -> servers.size() == replicas);
        if (!complete) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "a new chunk of table " + table.meta.name() + " needs " + replicas + " servers with port \""
                            + table.meta.port() + "\", and "
                            + servers(leader, table).size()
                            + " are live: start more servers");
        }
        if (decided.size() + time.buckets() > Limits.CHUNK_DECISIONS_MAX) {
            decided.clear();
        }
        for (int bucket = 0; bucket < time.buckets(); bucket++) {
            decided.put(
                    new ReplicaKey(table.meta.tableId(), time.firstActor(ordinal) + bucket),
                    decision.places().get(bucket));
        }
        return decision.places();
    }

    /** Decision for the chunk that contains this time, in milliseconds since 1970, as it would be made now, beside its present servers. */
    public AdminReply.ChunkExplanation explain(LeaderContext leader, Table table, long millis) {
        Partitioner.Time time = time(table);
        int ordinal = time.chunks().ordinalOf(millis);
        if (ordinal < table.map().expiredBefore()
                || time.isExpired(ordinal, leader.env().clock().wallMillis())) {
            throw time.expired(ordinal);
        }
        List<List<ServerId>> present = new ArrayList<>();
        for (int bucket = 0; bucket < time.buckets(); bucket++) {
            ActorState actor = table.map().find(time.firstActor(ordinal) + bucket);
            if (actor != null) {
                present.add(actor.isr());
            }
        }
        return new AdminReply.ChunkExplanation(
                setup.name(),
                time.chunks().startText(ordinal),
                time.firstActor(ordinal),
                present,
                decide(leader, table, time, ordinal, table.meta.rf()));
    }

    private static Partitioner.Time time(Table table) {
        if (table.meta.partitioner() instanceof Partitioner.Time time) {
            return time;
        }
        throw UniserveException.invalid(
                "table " + table.meta.name() + " is not partitioned by time, so it has no chunks");
    }

    private Decision decide(LeaderContext leader, Table table, Partitioner.Time time, int ordinal, int replicas) {
        NewChunk chunk = new NewChunk(
                table.meta.tableId(),
                time.chunks().start(ordinal),
                time.chunks().end(ordinal),
                time.expiryOf(ordinal).orElse(Long.MAX_VALUE),
                time.buckets(),
                replicas);
        int first = time.firstActor(ordinal);
        List<HeldActor> held = new ArrayList<>();
        for (Table other : leader.catalog().tables()) {
            for (ActorState actor : other.map().actors()) {
                ReplicaKey key = new ReplicaKey(other.meta.tableId(), actor.actor());
                decided.remove(key);
                boolean own = other == table && actor.actor() >= first && actor.actor() < first + time.buckets();
                if (!own) {
                    held.add(held(other, key, actor.desiredServers()));
                }
            }
        }
        decided.forEach((key, servers) -> {
            Table other = leader.catalog().find(key.tableId());
            boolean own = other == table && key.actor() >= first && key.actor() < first + time.buckets();
            if (other != null && !own) {
                held.add(held(other, key, servers));
            }
        });
        return setup.policy().place(new Input(leader.env().clock().wallMillis(), chunk, servers(leader, table), held));
    }

    private HeldActor held(Table table, ReplicaKey key, List<ServerId> hosts) {
        ActorLoads.Measured load = loads.of(key);
        if (table.meta.partitioner() instanceof Partitioner.Time time) {
            int ordinal = time.ordinalOf(key.actor());
            return new HeldActor(
                    key.tableId(),
                    time.chunks().start(ordinal),
                    time.chunks().end(ordinal),
                    time.expiryOf(ordinal).orElse(Long.MAX_VALUE),
                    load.rows(),
                    hosts,
                    load.cpuMillisPerSecond(),
                    load.scannedPerSecond());
        }
        return new HeldActor(
                key.tableId(),
                0,
                0,
                Long.MAX_VALUE,
                load.rows(),
                hosts,
                load.cpuMillisPerSecond(),
                load.scannedPerSecond());
    }

    private static List<ChunkPolicy.Server> servers(LeaderContext leader, Table table) {
        return leader.usableServers().stream()
                .filter(record -> ClusterView.offersPort(record, table.meta.port()))
                .sorted(Comparator.comparing(ServerRecord::id))
                .map(record -> new ChunkPolicy.Server(
                        record.id(),
                        record.zone(),
                        Math.max(1, record.capacity().cpuMillis()) / 1_000.0))
                .toList();
    }
}
