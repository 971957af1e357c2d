package io.uniserve.protocol.server;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.gate.GatePublisher;
import io.uniserve.protocol.replica.Replica;
import io.uniserve.protocol.replica.ReplicaHost;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The replicas on this server: those the maps name, and those found on disk. */
final class ReplicaSet {
    private static final Pattern DIRECTORY = Pattern.compile("t(\\d{1,18})-a(\\d{1,9})/");

    private final Environment env;
    private final ReplicaHost host;
    private final ServerId self;
    private final GatePublisher gates;
    private final TableViews views;
    private final TreeMap<ReplicaKey, Replica> replicas = new TreeMap<>();
    private final Runnable soon;
    private final TreeSet<ReplicaKey> onDisk = new TreeSet<>();
    private final TreeSet<ReplicaKey> ending = new TreeSet<>();
    private final TreeSet<ReplicaKey> ticking = new TreeSet<>();

    ReplicaSet(Environment env, ReplicaHost host, GatePublisher gates, TableViews views, Runnable soon) {
        this.env = env;
        this.host = host;
        this.self = host.self();
        this.gates = gates;
        this.soon = soon;
        this.views = views;
    }

    /** The replica of a directory of this name; null for any other entry. */
    static @Nullable ReplicaKey key(String entry) {
        Matcher name = DIRECTORY.matcher(entry);
        return name.matches()
                ? new ReplicaKey(Long.parseLong(name.group(1)), Integer.parseInt(name.group(2)))
                : null;
    }

    /** Finds what is on disk, tried until it succeeds. */
    void scan(Runnable then) {
        env.disk().list("", listed -> {
            if (!(listed instanceof Outcome.Ok<List<Disk.Entry>> ok)) {
                env.timers().after(10 * host.config().retryNanos(), () -> scan(then));
                return;
            }
            for (Disk.Entry entry : ok.value()) {
                ReplicaKey key = key(entry.name());
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

    /** Keys of directories that no table claims. */
    List<ReplicaKey> unclaimed() {
        List<ReplicaKey> keys = new ArrayList<>();
        for (ReplicaKey key : onDisk) {
            if (!replicas.containsKey(key) && !ending.contains(key) && views.find(key.tableId()) == null) {
                keys.add(key);
            }
        }
        return keys;
    }

    boolean holdsAny(long tableId) {
        ReplicaKey next = replicas.ceilingKey(new ReplicaKey(tableId, 0));
        return next != null && next.tableId() == tableId;
    }

    /** Makes the replicas of this table what its map says. */
    void follow(TableViews.View view) {
        for (ActorState actor : view.map().actors()) {
            ReplicaKey key = new ReplicaKey(view.meta().tableId(), actor.actor());
            if (ending.contains(key)) {
                continue;
            }
            Replica replica = replicas.get(key);
            if (replica == null && (actor.hosts(self) || onDisk.contains(key))) {
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

    void wantTicks(Replica replica) {
        ticking.add(replica.key());
        soon.run();
    }

    /** Whether a replica waits for time to pass. */
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

    void publish(Replica replica) {
        if (replicas.get(replica.key()) == replica) {
            gates.publish(replica.key(), replica.gate());
        }
    }

    /** Removes a replica that nobody counts on; {@code aside} keeps its files under {@code quarantine/}. */
    void remove(ReplicaKey key, boolean aside, Runnable then) {
        Replica replica = replicas.remove(key);
        gates.remove(key);
        if (!ending.add(key)) {
            return;
        }
        io.uniserve.protocol.env.Completion<io.uniserve.protocol.env.Done> done = outcome -> {
            ending.remove(key);
            if (outcome instanceof Outcome.Ok<io.uniserve.protocol.env.Done>) {
                onDisk.remove(key);
                then.run();
            }
            TableViews.View view = views.find(key.tableId());
            if (view != null) {
                follow(view);
            }
        };
        if (replica == null) {
            env.disk().delete(key.toString(), done);
        } else if (aside) {
            replica.setAside(done);
        } else {
            replica.destroy(done);
        }
    }

    void close() {
        replicas.values().forEach(Replica::close);
    }
}
