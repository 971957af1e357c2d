package io.uniserve.simulator.engine;

import io.uniserve.api.Actor;
import io.uniserve.api.Row;
import io.uniserve.api.extra.SnapshotActor;
import io.uniserve.api.update.AtomicUpdate;
import io.uniserve.api.update.Prepared;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.api.update.UpdateFunction;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.protocol.transaction.server.VersionedSnapshotCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Prepared versions and snapshots by version of one actor of an atomic table. */
final class AtomicEngineState {
    private final Actor actor;
    private final TreeMap<Long, List<Prepared>> prepared = new TreeMap<>();
    private final VersionedSnapshotCache<AutoCloseable> snapshots;
    private long newest;

    AtomicEngineState(Actor actor, long version, int statesMax) {
        this.actor = actor;
        this.snapshots = new VersionedSnapshotCache<>(statesMax, state -> {});
        addSnapshot(version);
    }

    <A extends Actor, R extends Row> void prepare(long version, UpdateFunction<A, R> function, long index, Bytes rows) {
        AtomicUpdate<A, R> update = (AtomicUpdate<A, R>) function;
        prepared.computeIfAbsent(version, v -> new ArrayList<>())
                .add(update.prepare(
                        function.actorType().cast(actor),
                        new UpdateContext(index),
                        Codecs.list(function.rows()).decode(rows)));
    }

    /** Aborts the rows that an earlier attempt has prepared for the version. */
    void abort(long version) {
        List<Prepared> old = prepared.remove(version);
        if (old != null) {
            old.forEach(Prepared::abort);
        }
    }

    void commit(long version) {
        List<Prepared> parts = prepared.remove(version);
        if (parts == null) {
            throw new IllegalStateException("version " + version + " is committed but not prepared");
        }
        parts.forEach(Prepared::commit);
        actor.publish();
        addSnapshot(version);
    }

    /** The version of the actor's contents. */
    long newest() {
        return newest;
    }

    private void addSnapshot(long version) {
        newest = version;
        snapshots.add(version, ((SnapshotActor<?>) actor).snapshot(), 1);
    }

    Optional<VersionedSnapshotCache.Ref<AutoCloseable>> snapshotAt(long version) {
        return snapshots.acquire(version);
    }
}
