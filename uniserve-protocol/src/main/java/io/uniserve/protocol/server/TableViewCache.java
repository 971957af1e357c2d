package io.uniserve.protocol.server;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.RetryingReader;
import io.uniserve.protocol.backup.batch.LogRunNeeds;
import io.uniserve.protocol.backup.batch.LogRunNeeds.State;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Environment;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables in the registry, with definition and map. A view never goes back to an older definition or map. */
final class TableViewCache {
    private static final Logger LOG = LoggerFactory.getLogger(TableViewCache.class);

    private final Environment env;
    private final long retryNanos;
    private final RegistryWatches watches;
    private final Listener listener;
    private final RetryingReader<List<String>> names;
    private final TreeMap<TableName, Entry> entries = new TreeMap<>();
    private final List<Completion<Done>> searches = new ArrayList<>();
    private boolean listed;
    private boolean complete;

    /** Definition and map of a table, with the time at which the map was read. */
    record View(TableMeta meta, TableMap map, int mapVersion, long readAtNanos) {
        /** Whether this map proves that the actor's chunk is expired. */
        boolean isExpired(ReplicaKey key) {
            return !map.has(key.actor()) && map.isExpired(meta.partitioner(), key.actor());
        }
    }

    /** Receiver of changes. */
    interface Listener {
        void onChanged(View view);

        /** The table is gone, or its number changed. */
        void onGone(View last);

        void onListed();

        /** Every table of the first listing is known now: its definition and map, or that it is gone. */
        void onComplete();
    }

    TableViewCache(Environment env, long retryNanos, RegistryWatches watches, Listener listener) {
        this.env = env;
        this.retryNanos = retryNanos;
        this.watches = watches;
        this.listener = listener;
        this.names = new RetryingReader<>(
                env.timers(), retryNanos, done -> env.registry().children(RegistryPaths.TABLES, done), this::onNames);
    }

    void start() {
        watches.add(RegistryPaths.TABLES, names::requestRead);
    }

    @Nullable
    View find(TableName name) {
        Entry entry = entries.get(name);
        return entry == null ? null : entry.view;
    }

    @Nullable
    View find(long tableId) {
        for (Entry entry : entries.values()) {
            if (entry.view != null && entry.view.meta().tableId() == tableId) {
                return entry.view;
            }
        }
        return null;
    }

    /** State of an actor in this view, for the replacement of batches in durable storage. */
    LogRunNeeds.Actor actor(ReplicaKey key) {
        View view = find(key.tableId());
        if (!complete) {
            return new LogRunNeeds.Actor(State.UNKNOWN, null);
        }
        if (view == null) {
            return new LogRunNeeds.Actor(State.ABSENT, null);
        }
        return view.isExpired(key)
                ? new LogRunNeeds.Actor(State.EXPIRED, null)
                : new LogRunNeeds.Actor(State.LIVE, view.meta().name());
    }

    /** False while an existing table may not have been read yet. A table that is not found is then unknown, not absent. */
    boolean isComplete() {
        return complete;
    }

    /** All tables, by name. */
    List<View> all() {
        List<View> views = new ArrayList<>();
        for (Entry entry : entries.values()) {
            if (entry.view != null) {
                views.add(entry.view);
            }
        }
        return views;
    }

    /** Reads the map after a sync, because a newer one was seen elsewhere. */
    void refresh(TableName name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            refreshNames();
        } else if (!entry.syncing) {
            entry.syncing = true;
            env.registry().sync(synced -> {
                entry.syncing = false;
                entry.map.requestRead();
            });
        }
    }

    /** Reads the definition after a sync, because a newer one was seen elsewhere. */
    void refreshDefinition(TableName name) {
        Entry entry = entries.get(name);
        if (entry == null) {
            refreshNames();
        } else {
            env.registry().sync(synced -> entry.meta.requestRead());
        }
    }

    /** Lists the tables after a sync, because an unknown one was seen elsewhere. */
    void refreshNames() {
        env.registry().sync(synced -> names.requestRead());
    }

    /** Completes when every table that existed at the time of this call is known here; fails if one of them cannot be read now. */
    void awaitAllTables(Completion<Done> completion) {
        env.registry().sync(synced -> {
            if (synced instanceof Outcome.Err<Done>) {
                completion.done(synced);
                return;
            }
            names.requestRead(read -> {
                if (read instanceof Outcome.Err<Done>) {
                    completion.done(read);
                    return;
                }
                searches.add(completion);
                checkComplete();
            });
        });
    }

    private void completeSearches(Outcome<Done> searched) {
        List<Completion<Done>> all = List.copyOf(searches);
        searches.clear();
        all.forEach(search -> search.done(searched));
    }

    private void onNames(List<String> children) {
        TreeSet<TableName> present = new TreeSet<>();
        for (String child : children) {
            try {
                present.add(new TableName(child));
            } catch (UniserveException e) {
                LOG.warn("registry node {}: not a table name: {}", RegistryPaths.TABLES + "/" + child, e.reason());
            }
        }
        for (Entry entry : List.copyOf(entries.values())) {
            entry.missingInListing = !present.contains(entry.name);
            if (entry.missingInListing) {
                entry.map.requestRead();
            }
        }
        for (TableName name : present) {
            if (!entries.containsKey(name)) {
                Entry entry = new Entry(name);
                entries.put(name, entry);
                watches.add(RegistryPaths.meta(name), entry.meta::requestRead);
                watches.add(RegistryPaths.map(name), entry.map::requestRead);
            }
        }
        if (!listed) {
            listed = true;
            listener.onListed();
        }
        checkComplete();
    }

    private void checkComplete() {
        boolean awaited = !complete || !searches.isEmpty();
        if (awaited && listed && entries.values().stream().allMatch(Entry::isSettled)) {
            if (!complete) {
                complete = true;
                listener.onComplete();
            }
            completeSearches(Outcome.ok(Done.DONE));
        }
    }

    private final class Entry {
        private final TableName name;
        private final RetryingReader<Versioned> meta;
        private final RetryingReader<Versioned> map;
        private boolean syncing;
        private int version = Registry.ABSENT;
        private long readAt;
        private @Nullable TableMeta metaValue;
        private @Nullable TableMap mapValue;
        private @Nullable View view;
        private boolean metaRead;
        private boolean mapRead;

        /** The last listing of the tables did not have this name. */
        private boolean missingInListing;

        private Entry(TableName name) {
            this.name = name;
            this.meta = newReader(RegistryPaths.meta(name), read -> {
                metaRead = true;
                onMeta(read);
            });
            this.map = newReader(RegistryPaths.map(name), read -> {
                mapRead = true;
                onMap(read);
            });
        }

        private RetryingReader<Versioned> newReader(String path, Consumer<Versioned> changed) {
            Consumer<Versioned> settling = read -> {
                changed.accept(read);
                TableViewCache.this.checkComplete();
            };
            return new RetryingReader<>(
                    env.timers(),
                    retryNanos,
                    done -> env.registry().read(path, done),
                    settling,
                    error -> completeSearches(Outcome.err(error)));
        }

        /** True when both nodes have been read and form a table, or one of them is absent. */
        private boolean isSettled() {
            return metaRead && mapRead && (view != null || metaValue == null || mapValue == null);
        }

        private void onMeta(Versioned read) {
            if (read.value() instanceof TableMeta value
                    && (metaValue == null || value.tableId() >= metaValue.tableId())) {
                metaValue = value;
                publish();
            }
        }

        private void onMap(Versioned read) {
            if (read.version() == Registry.ABSENT) {
                onGone();
                if (missingInListing) {
                    remove();
                }
                return;
            }
            if (!(read.value() instanceof TableMap value)) {
                return;
            }
            boolean newTable = mapValue == null || value.tableId() > mapValue.tableId();
            boolean newer = mapValue != null && value.tableId() == mapValue.tableId() && read.version() > version;
            if (newTable || newer) {
                if (newTable) {
                    onGone();
                }
                mapValue = value;
                version = read.version();
                readAt = env.clock().nanos();
                publish();
            }
        }

        private void onGone() {
            View last = view;
            mapValue = null;
            if (last != null) {
                view = null;
                listener.onGone(last);
            }
        }

        /** Removes a name without a table, so that old names do not accumulate. If it appears again, it is listed again. */
        private void remove() {
            entries.remove(name, this);
            meta.stop();
            map.stop();
            watches.remove(RegistryPaths.meta(name));
            watches.remove(RegistryPaths.map(name));
        }

        private void publish() {
            if (metaValue == null || mapValue == null) {
                return;
            }
            if (metaValue.tableId() < mapValue.tableId()) {
                meta.requestRead();
            } else if (metaValue.tableId() == mapValue.tableId()) {
                View next = new View(metaValue, mapValue, version, readAt);
                view = next;
                listener.onChanged(next);
            } else {
                map.requestRead();
            }
        }
    }
}
