package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TrashEntry;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.log.ReplicaLog;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.ReplicaState;
import io.uniserve.protocol.replica.ReplicaSummary;
import io.uniserve.protocol.replica.context.ReplicaContext;
import io.uniserve.protocol.server.trash.TrashFolder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The replicas on this server: those in the maps, and those found on disk. */
final class HostedReplicas {
    private static final Logger LOG = LoggerFactory.getLogger(HostedReplicas.class);

    private final Environment env;
    private final ReplicaContext host;
    private final ServerId self;
    private final GatePublisher gates;
    private final TableViewCache views;
    private final TrashFolder trash;
    private final TreeMap<ReplicaKey, Replica> replicas = new TreeMap<>();
    private final Runnable tickSoon;
    private final TreeSet<ReplicaKey> onDisk = new TreeSet<>();
    private final TreeSet<ReplicaKey> closing = new TreeSet<>();
    private final TreeSet<ReplicaKey> ticking = new TreeSet<>();

    HostedReplicas(
            Environment env,
            ReplicaContext host,
            GatePublisher gates,
            TableViewCache views,
            TrashFolder trash,
            Runnable soon) {
        this.env = env;
        this.host = host;
        this.self = host.self();
        this.gates = gates;
        this.tickSoon = soon;
        this.views = views;
        this.trash = trash;
    }

    /** Finds the replicas on disk, and retries until it succeeds. */
    void scan(Runnable then) {
        env.disk().list("", listed -> {
            if (!(listed instanceof Outcome.Ok<List<Disk.Entry>> ok)) {
                env.timers().after(10 * host.config().retryNanos(), () -> scan(then));
                return;
            }
            for (Disk.Entry entry : ok.value()) {
                ReplicaKey key = ReplicaKey.ofDirectory(entry.name());
                if (key != null) {
                    onDisk.add(key);
                }
            }
            then.run();
        });
    }

    @Nullable
    Replica find(ReplicaKey key) {
        return replicas.get(key);
    }

    /** All replicas by key. */
    List<Replica> all() {
        return List.copyOf(replicas.values());
    }

    /** States of all replicas, by key. */
    List<ReplicaState> states() {
        return replicas.values().stream().map(Replica::state).toList();
    }

    /** Keys of all replicas on this server, open or not, except those that are being removed. */
    TreeSet<ReplicaKey> keys() {
        TreeSet<ReplicaKey> keys = new TreeSet<>(onDisk);
        keys.addAll(replicas.keySet());
        keys.removeAll(closing);
        return keys;
    }

    private boolean isUnclaimed(ReplicaKey key) {
        TableViewCache.View view = views.find(key.tableId());
        return view == null || view.isExpired(key);
    }

    /** Keys of directories without a table in the registry, or of expired chunks. */
    List<ReplicaKey> unclaimed() {
        List<ReplicaKey> keys = new ArrayList<>();
        for (ReplicaKey key : onDisk) {
            if (!replicas.containsKey(key) && !closing.contains(key) && isUnclaimed(key)) {
                keys.add(key);
            }
        }
        return keys;
    }

    boolean hasReplicasOf(long tableId) {
        ReplicaKey next = replicas.ceilingKey(new ReplicaKey(tableId, 0));
        return next != null && next.tableId() == tableId;
    }

    /** Creates and updates the replicas of this table by its map. */
    void applyMap(TableViewCache.View view) {
        for (ActorState actor : view.map().actors()) {
            ReplicaKey key = new ReplicaKey(view.meta().tableId(), actor.actor());
            if (closing.contains(key)) {
                continue;
            }
            Replica replica = replicas.get(key);
            if (replica == null && actor.hasReplicaOn(self) && !onDisk.contains(key) && restoreFromTrash(key, view)) {
                continue;
            }
            if (replica == null && (actor.hasReplicaOn(self) || onDisk.contains(key))) {
                replica = new Replica(host, key, view.meta().name());
                replicas.put(key, replica);
                onDisk.add(key);
                replica.open(() -> {});
            }
            if (replica != null) {
                replica.assign(view.meta(), actor, view.mapVersion(), view.readAtNanos());
            }
        }
    }

    void wantTicks(ReplicaKey key) {
        ticking.add(key);
        tickSoon.run();
    }

    /** Whether a replica needs ticks. */
    boolean wantTicks() {
        return !ticking.isEmpty();
    }

    void tick() {
        for (ReplicaKey key : List.copyOf(ticking)) {
            Replica replica = replicas.get(key);
            if (replica == null || !replica.tick()) {
                ticking.remove(key);
            }
        }
    }

    /** Limits the memory of all logs' recent entries. */
    void limitLogCaches() {
        for (Replica replica : replicas.values()) {
            ReplicaLog log = replica.log();
            if (log != null) {
                log.limitCache(replicas.size());
            }
        }
    }

    void publish(Replica replica) {
        if (replicas.get(replica.key()) == replica) {
            gates.publish(replica.key(), replica.gate());
        }
    }

    /** Publishes the gates of all replicas of a table, because its map has another generation. */
    void publishAll(long tableId) {
        replicas.subMap(new ReplicaKey(tableId, 0), true, new ReplicaKey(tableId, Integer.MAX_VALUE), true)
                .values()
                .forEach(this::publish);
    }

    /** Acknowledges updates of a replica that waited until no server answers reads without its chunk. */
    void acknowledgeChunk(ReplicaKey key) {
        Replica replica = replicas.get(key);
        if (replica != null) {
            replica.onChunkFenced();
        }
    }

    /** Restores a replica from the trash, as after a restart, if the map gives it to this server again. */
    private boolean restoreFromTrash(ReplicaKey key, TableViewCache.View view) {
        TrashEntry entry = trash.find(key, view.meta().name());
        if (entry != null) {
            restore(entry, done -> {});
        }
        return entry != null;
    }

    /** Moves a replica from the trash back to its place, and applies the map to it. */
    void restore(TrashEntry entry, Completion<Done> completion) {
        ReplicaKey key = entry.key();
        closing.add(key);
        trash.restore(entry, done -> {
            closing.remove(key);
            if (done instanceof Outcome.Ok<Done>) {
                onDisk.add(key);
                applyMap(key);
            } else {
                env.timers().after(10 * host.config().retryNanos(), () -> applyMap(key));
            }
            completion.done(done);
        });
    }

    private void applyMap(ReplicaKey key) {
        TableViewCache.View view = views.find(key.tableId());
        if (view != null) {
            applyMap(view);
        }
    }

    /** Moves a replica to the trash, or leaves it for a later round while its files are being read or an engine call hangs. */
    void discard(ReplicaKey key, String reason) {
        Replica replica = replicas.get(key);
        if (replica != null && !replica.isClosable() || closing.contains(key)) {
            return;
        }
        long last = replica == null ? 0 : replica.lastIndex();
        Completion<Done> done = removeFromSet(key, () -> {});
        if (replica == null) {
            discard(key, last, reason, done);
        } else {
            replica.closeThen(() -> discard(key, last, reason, done));
        }
    }

    private void discard(ReplicaKey key, long lastIndex, String reason, Completion<Done> done) {
        ReplicaSummary.read(env.disk(), key.toString(), read -> {
            Optional<ReplicaSummary> found =
                    read instanceof Outcome.Ok<Optional<ReplicaSummary>> ok ? ok.value() : Optional.empty();
            trash.put(
                    key,
                    found.map(known -> known.table().value()).orElse(""),
                    found.map(ReplicaSummary::epoch).orElse(0L),
                    Math.max(lastIndex, found.map(ReplicaSummary::lastIndex).orElse(0L)),
                    reason,
                    done);
        });
    }

    /** Removes a replica that no process counts on; with {@code aside} its files move to {@code quarantine/}. */
    void remove(ReplicaKey key, boolean aside, Runnable then) {
        Replica replica = replicas.get(key);
        boolean again = closing.contains(key);
        Completion<Done> done = removeFromSet(key, then);
        if (again) {
            return;
        }
        if (replica == null) {
            env.disk().delete(key.toString(), done);
        } else if (aside) {
            replica.quarantine(done);
        } else {
            replica.destroy(done);
        }
    }

    /** Takes the replica out of the set; {@code then} runs when its files are gone from their place. */
    private Completion<Done> removeFromSet(ReplicaKey key, Runnable then) {
        replicas.remove(key);
        gates.remove(key);
        closing.add(key);
        return outcome -> {
            closing.remove(key);
            if (outcome instanceof Outcome.Ok<Done>) {
                onDisk.remove(key);
                then.run();
            } else if (outcome instanceof Outcome.Err<Done> err) {
                LOG.warn(
                        "{}: move or deletion of its files failed: {}",
                        key,
                        err.error().getMessage());
            }
            applyMap(key);
        };
    }

    void close() {
        replicas.values().forEach(Replica::close);
    }

    /** The requested replicas that are intact, with their installed epochs. */
    PeerReply intactReplicas(PeerRequest.ListIntactReplicas request, long incarnation) {
        List<PeerReply.IntactReplicaList.IntactReplica> whole = new ArrayList<>();
        for (ReplicaKey key : request.keys()) {
            Replica replica = find(key);
            if (replica != null && replica.intactEpoch() >= 0) {
                whole.add(new PeerReply.IntactReplicaList.IntactReplica(key, replica.intactEpoch()));
            }
        }
        return new PeerReply.IntactReplicaList(self, incarnation, whole);
    }
}
