package io.uniserve.protocol.backup.batch;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.backup.batch.LogBatchKey.Entry;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Decides which runs of logs are needed. A run is not needed if the actor's backup record has a checkpoint that covers it, if the mark in
 * durable storage proves that the table was dropped, or if the map proves that the chunk is expired. Not thread-safe.
 */
public final class LogRunNeeds {
    private final Environment env;
    private final String cluster;
    private final Function<ReplicaKey, Actor> actors;
    private final TreeMap<ReplicaKey, Long> covered = new TreeMap<>();
    private final TreeSet<Long> dropped = new TreeSet<>();

    /** State of an actor in the view of a server. */
    public enum State {
        /** Its table is there. */
        LIVE,
        /** Its chunk is expired. */
        EXPIRED,
        /** No table with its number is there: only the mark proves that it was dropped. */
        ABSENT,
        /** Not all tables are read yet. */
        UNKNOWN
    }

    /** @param table name of the table; null unless it is LIVE */
    public record Actor(State state, @Nullable TableName table) {}

    /** @param actors finds the state of an actor in the server's view */
    LogRunNeeds(Environment env, String cluster, Function<ReplicaKey, Actor> actors) {
        this.env = env;
        this.cluster = cluster;
        this.actors = actors;
    }

    /** Whether it is proven that the actor exists no more. A view without its table proves nothing. */
    void isGone(ReplicaKey key, Completion<Boolean> completion) {
        State state = actors.apply(key).state();
        if (state == State.ABSENT) {
            readMark(key.tableId(), completion);
        } else {
            completion.done(Outcome.ok(state == State.EXPIRED));
        }
    }

    /** Forgets what was read. */
    void refresh() {
        covered.clear();
    }

    /** The needed runs of a batch; empty if that is not known of a run. */
    void of(LogBatchKey batch, Completion<Optional<List<Entry>>> completion) {
        // Posted, so that many batches whose actors are known do not nest.
        env.timers().post(() -> next(batch.entries().iterator(), new ArrayList<>(), completion));
    }

    private void next(Iterator<Entry> rest, List<Entry> needed, Completion<Optional<List<Entry>>> completion) {
        while (rest.hasNext()) {
            Entry entry = rest.next();
            Actor actor = actors.apply(entry.key());
            Long checkpoint = covered.get(entry.key());
            if (actor.state() == State.UNKNOWN) {
                completion.done(Outcome.ok(Optional.empty()));
                return;
            }
            if (actor.state() == State.ABSENT && !dropped.contains(entry.key().tableId())) {
                readMark(entry.key().tableId(), completion.then(isDropped -> {
                    if (isDropped) {
                        next(rest, needed, completion);
                    } else {
                        completion.done(Outcome.ok(Optional.empty()));
                    }
                }));
                return;
            }
            if (actor.table() != null && checkpoint == null) {
                readRecord(actor.table(), entry.key(), completion.then(index -> {
                    if (index < entry.last()) {
                        needed.add(entry);
                    }
                    next(rest, needed, completion);
                }));
                return;
            }
            if (checkpoint != null && actor.state() == State.LIVE && checkpoint < entry.last()) {
                needed.add(entry);
            }
        }
        completion.done(Outcome.ok(Optional.of(needed)));
    }

    private void readMark(long tableId, Completion<Boolean> completion) {
        String mark = StoredTableDefinition.dropped(cluster, tableId);
        env.objects().list(mark, completion.then(found -> {
            if (found.contains(mark)) {
                dropped.add(tableId);
            }
            completion.done(Outcome.ok(found.contains(mark)));
        }));
    }

    private void readRecord(TableName table, ReplicaKey key, Completion<Long> completion) {
        env.registry().read(RegistryPaths.backup(table, key), completion.then((Versioned read) -> {
            long index = read.value() instanceof BackupRecord record ? record.checkpointIndex() : 0;
            covered.put(key, index);
            completion.done(Outcome.ok(index));
        }));
    }
}
