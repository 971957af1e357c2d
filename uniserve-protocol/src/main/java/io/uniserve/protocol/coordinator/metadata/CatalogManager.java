package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catalog of all tables: definitions and maps as ZooKeeper has them. Only this term writes them, so the copy is exact unless it is marked
 * stale.
 */
public final class CatalogManager {
    private static final Logger LOG = LoggerFactory.getLogger(CatalogManager.class);

    private final FencedRegistry registry;
    private final TreeMap<TableName, Table> tables = new TreeMap<>();
    private final TreeSet<TableName> namesWithoutDefinition = new TreeSet<>();
    private ClusterRecord cluster = new ClusterRecord("", 0);
    private int clusterVersion = Registry.ABSENT;

    public CatalogManager(FencedRegistry registry) {
        this.registry = registry;
    }

    public Collection<Table> tables() {
        return tables.values();
    }

    @Nullable
    public Table find(TableName name) {
        return tables.get(name);
    }

    @Nullable
    public Table find(long tableId) {
        for (Table table : tables.values()) {
            if (table.meta.tableId() == tableId) {
                return table;
            }
        }
        return null;
    }

    /** The table that a client's request named, or TABLE_NOT_FOUND if it was dropped meanwhile or the number is not the table's. */
    public Table requireTable(long tableId, TableName name) {
        Table table = find(tableId);
        if (table == null || !table.meta.name().equals(name)) {
            throw new UniserveException(
                    ErrorCode.TABLE_NOT_FOUND, "table " + name + " was dropped meanwhile: list the tables");
        }
        return table;
    }

    public ClusterRecord cluster() {
        return cluster;
    }

    public int clusterVersion() {
        return clusterVersion;
    }

    public void setCluster(ClusterRecord record, int version) {
        cluster = record;
        clusterVersion = version;
    }

    public void put(TableMeta meta, int metaVersion, TableMap map, int mapVersion) {
        tables.put(meta.name(), new Table(meta, metaVersion, map, mapVersion));
    }

    public void remove(TableName name) {
        tables.remove(name);
    }

    public List<TableRoute> routes() {
        return tables.values().stream().map(Table::route).toList();
    }

    /**
     * Reads every table, and skips names without a definition, which are dropped tables. The previous tables stay until the load ends, and
     * also if it fails. Otherwise receivers of the routing would take a missing table for a dropped one.
     */
    public void load(LoadCallback then) {
        registry.children(RegistryPaths.TABLES, outcome -> {
            if (outcome instanceof Outcome.Ok<List<String>> ok) {
                Set<String> names = new TreeSet<>(ok.value());
                tables.keySet().removeIf(name -> !names.contains(name.value()));
                namesWithoutDefinition.removeIf(name -> !names.contains(name.value()));
                loadNext(new ArrayList<>(ok.value()).iterator(), then);
            } else if (outcome instanceof Outcome.Err<List<String>> err) {
                then.onFailed(err.error());
            }
        });
    }

    private void loadNext(Iterator<String> names, LoadCallback then) {
        if (!names.hasNext()) {
            then.onLoaded();
            return;
        }
        TableName name = parseName(names.next());
        if (name == null) {
            loadNext(names, then);
            return;
        }
        reload(name, new LoadCallback() {
            @Override
            public void onLoaded() {
                loadNext(names, then);
            }

            @Override
            public void onFailed(UniserveException error) {
                then.onFailed(error);
            }
        });
    }

    private static @Nullable TableName parseName(String name) {
        try {
            return new TableName(name);
        } catch (UniserveException e) {
            LOG.warn("registry node {}/{}: not a table name: {}", RegistryPaths.TABLES, name, e.reason());
            return null;
        }
    }

    /** Reads one table again, and removes it from the catalog if it is gone. */
    public void reload(TableName name, LoadCallback then) {
        registry.read(RegistryPaths.meta(name), metaOutcome -> {
            if (metaOutcome instanceof Outcome.Ok<Versioned> meta) {
                registry.read(RegistryPaths.map(name), mapOutcome -> {
                    if (mapOutcome instanceof Outcome.Ok<Versioned> map) {
                        update(name, meta.value(), map.value());
                        then.onLoaded();
                    } else if (mapOutcome instanceof Outcome.Err<Versioned> err) {
                        then.onFailed(err.error());
                    }
                });
            } else if (metaOutcome instanceof Outcome.Err<Versioned> err) {
                then.onFailed(err.error());
            }
        });
    }

    private void update(TableName name, Versioned meta, Versioned map) {
        if (meta.value() instanceof TableMeta definition && map.value() instanceof TableMap actors) {
            put(definition, meta.version(), actors, map.version());
            namesWithoutDefinition.remove(name);
        } else {
            tables.remove(name);
            namesWithoutDefinition.add(name);
        }
    }

    /** Names without a definition: a dropped table may have left nodes there. */
    public Set<TableName> namesWithoutDefinition() {
        return namesWithoutDefinition;
    }

    /** Reads the cluster record again. */
    public void reloadCluster(LoadCallback then) {
        registry.read(RegistryPaths.CLUSTER, outcome -> {
            if (outcome instanceof Outcome.Ok<Versioned> ok) {
                if (ok.value().value() instanceof ClusterRecord record) {
                    setCluster(record, ok.value().version());
                } else {
                    clusterVersion = Registry.ABSENT;
                }
                then.onLoaded();
            } else if (outcome instanceof Outcome.Err<Versioned> err) {
                then.onFailed(err.error());
            }
        });
    }

    /** Continuation of an asynchronous read. */
    public interface LoadCallback {
        void onLoaded();

        void onFailed(UniserveException error);
    }

    /** Definition and map of one table, with their znode versions. */
    public static final class Table {
        public final TableMeta meta;
        public final int metaVersion;
        private TableMap map;
        private int mapVersion;
        /** A write is under way: make no decision until it ends. */
        public boolean writePending;
        /** A write failed or has an unknown outcome: read the table again before the next decision. */
        public boolean stale;

        Table(TableMeta meta, int metaVersion, TableMap map, int mapVersion) {
            this.meta = meta;
            this.metaVersion = metaVersion;
            this.map = map;
            this.mapVersion = mapVersion;
        }

        public TableMap map() {
            return map;
        }

        public int mapVersion() {
            return mapVersion;
        }

        /** Row of an actor that the map has. */
        public ActorState actor(int number) {
            return map.get(number);
        }

        /** The actor of a number that a client sent; INVALID_ARGUMENT with the valid range if it does not exist. */
        public ActorState requireActor(int number) {
            ActorState found = map.find(number);
            if (found == null) {
                throw UniserveException.invalid(
                        "actor " + number + ": table " + meta.name() + " has " + map.describeNumbers());
            }
            return found;
        }

        /** Whether the map has the actor. */
        public boolean hasActor(int number) {
            return map.has(number);
        }

        public void applyMap(TableMap next, int version) {
            map = next;
            mapVersion = version;
        }

        public TableRoute route() {
            return new TableRoute(meta, map, mapVersion);
        }
    }
}
