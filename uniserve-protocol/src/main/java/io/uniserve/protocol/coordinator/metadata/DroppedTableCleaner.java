package io.uniserve.protocol.coordinator.metadata;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.CoordinatorEnvironment;
import io.uniserve.protocol.coordinator.election.FencedRegistry;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Background task that deletes the continuous backups of dropped tables and of expired chunks. It first has a server delete an actor's objects, and then deletes
 * the backup record. So the record shows what is not deleted yet.
 *
 * <p>It deletes only with a tombstone as proof of the drop, or a map as proof of the expiry. It is not part of the drop: servers may still write records while the table is
 * dropped, so the task repeats until nothing is left. The table number protects the records of a new table with the same name.
 */
public final class DroppedTableCleaner {
    private static final Logger LOG = LoggerFactory.getLogger(DroppedTableCleaner.class);
    private static final int DELETES_PER_WRITE = 256;
    private static final long ERASE_TIMEOUT_NANOS = 30_000_000_000L;
    private static final long PAUSE_NANOS = 5_000_000_000L;

    private final FencedRegistry registry;
    private final CatalogManager catalog;
    private final TreeSet<TableName> names = new TreeSet<>();
    private final TreeSet<TableName> held = new TreeSet<>();
    private final CoordinatorEnvironment env;
    private final MembershipManager members;
    private final TreeSet<Long> kept = new TreeSet<>();
    private boolean busy;
    private long pauseUntil;

    /** The last name with a failed deletion: other names are tried before it. */
    private @Nullable TableName failed;

    public DroppedTableCleaner(
            FencedRegistry registry, CatalogManager catalog, CoordinatorEnvironment env, MembershipManager members) {
        this.registry = registry;
        this.catalog = catalog;
        this.env = env;
        this.members = members;
        this.pauseUntil = env.clock().nanos();
    }

    public void addAll(Collection<TableName> dropped) {
        names.addAll(dropped);
    }

    /** Deletes nothing of tables with this name until {@link #release}, as a restoration copies objects there. */
    public void hold(TableName name) {
        held.add(name);
    }

    public void release(TableName name) {
        held.remove(name);
    }

    /** True while objects or records of a dropped table with this name may exist. */
    public boolean isPending(TableName name) {
        return names.contains(name);
    }

    public void tick() {
        if (busy || names.isEmpty() || env.clock().nanos() - pauseUntil < 0) {
            return;
        }
        TableName name = next();
        if (name == null) {
            return;
        }
        busy = true;
        registry.children(RegistryPaths.backups(name), outcome -> {
            if (outcome instanceof Outcome.Ok<List<String>> ok) {
                List<String> others = ok.value().stream()
                        .filter(child -> !belongsToExistingTable(name, child))
                        .toList();
                collect(name, others.iterator(), new ArrayList<>());
            } else {
                busy = false;
            }
        });
    }

    /** Recognizes records of the existing table by the node's name, so that they need not be read. */
    private boolean belongsToExistingTable(TableName name, String child) {
        Table table = catalog.find(name);
        return table != null && child.startsWith(table.meta.tableId() + "-") && !isExpired(table, child);
    }

    /** True if the record is of an actor whose chunk is expired, by the node's name: number of the table, hyphen, number of the actor. */
    private static boolean isExpired(Table table, String child) {
        String number = child.substring(child.indexOf('-') + 1);
        return number.matches("[0-9]{1,9}|1[0-9]{9}")
                && isExpired(table, new ReplicaKey(table.meta.tableId(), Integer.parseInt(number)));
    }

    /** True if this leader's map proves that the actor's chunk is expired. No leader makes such a chunk again. */
    private static boolean isExpired(Table table, ReplicaKey key) {
        return table.meta.tableId() == key.tableId()
                && !table.hasActor(key.actor())
                && table.map().isExpired(table.meta.partitioner(), key.actor());
    }

    private @Nullable TableName next() {
        TreeSet<TableName> free = new TreeSet<>(names);
        free.removeAll(held);
        TableName higher = failed == null ? null : free.higher(failed);
        return higher == null && !free.isEmpty() ? free.first() : higher;
    }

    private void collect(TableName name, Iterator<String> children, List<Op> deletes) {
        if (!children.hasNext() || deletes.size() >= DELETES_PER_WRITE) {
            delete(name, deletes);
            return;
        }
        String path = RegistryPaths.backups(name) + "/" + children.next();
        registry.read(path, outcome -> {
            if (!(outcome instanceof Outcome.Ok<Versioned> ok)) {
                busy = false;
                return;
            }
            if (ok.value().version() == Registry.ABSENT || !isOrphan(name, ok.value())) {
                collect(name, children, deletes);
                return;
            }
            checkDropped(name, ok.value(), proven -> {
                if (!proven) {
                    collect(name, children, deletes);
                    return;
                }
                erase(name, ok.value(), new ArrayDeque<>(members.servers()), false, () -> {
                    deletes.add(new Op.Delete(path, ok.value().version()));
                    collect(name, children, deletes);
                });
            });
        });
    }

    /** Whether a tombstone proves that the record's table was dropped, or the map that its chunk is expired. Without one, the record and its objects stay. */
    private void checkDropped(TableName name, Versioned found, Consumer<Boolean> then) {
        if (!(found.value() instanceof BackupRecord record)) {
            then.accept(true);
            return;
        }
        Table existing = catalog.find(name);
        if (existing != null && isExpired(existing, record.key())) {
            then.accept(true);
            return;
        }
        long tableId = record.key().tableId();
        TombstoneStore.find(registry, tableId, read -> {
            if (!(read instanceof Outcome.Ok<Boolean> ok)) {
                busy = false;
                return;
            }
            if (!ok.value() && kept.add(tableId)) {
                LOG.warn(
                        "table number {}: its backup is kept: no map names it, and no tombstone proves that it was"
                                + " dropped",
                        tableId);
            }
            then.accept(ok.value());
        });
    }

    /**
     * Sends the request to one server after another until one has deleted the objects. If no server has durable storage, there is nothing
     * to delete.
     *
     * @param stored true when a server could not delete them but may have durable storage
     */
    private void erase(
            TableName name, Versioned found, ArrayDeque<ServerRecord> servers, boolean stored, Runnable then) {
        if (!(found.value() instanceof BackupRecord record)) {
            then.run();
            return;
        }
        ServerRecord server = servers.poll();
        if (server == null) {
            retryLater(name);
            return;
        }
        PeerRequest request = new PeerRequest.EraseBackup(name, record.key());
        env.network().call(server.address(), request, ERASE_TIMEOUT_NANOS, registry.scoped(outcome -> {
            if (outcome instanceof Outcome.Ok<PeerReply>) {
                then.run();
                return;
            }
            UniserveException error = outcome.error();
            boolean unsupported = error.code() == ErrorCode.UNSUPPORTED;
            if (unsupported && servers.isEmpty() && !stored) {
                then.run();
            } else if (unsupported
                    || error.code() == ErrorCode.UNAVAILABLE
                    || error.code() == ErrorCode.DEADLINE_EXCEEDED) {
                erase(name, found, servers, stored || !unsupported, then);
            } else {
                LOG.warn(
                        "actor {}: deletion of the backup of dropped table {} failed, will be retried: {}",
                        record.key(),
                        name,
                        error.getMessage());
                retryLater(name);
            }
        }));
    }

    private void retryLater(TableName name) {
        busy = false;
        failed = name;
        pauseUntil = env.clock().nanos() + PAUSE_NANOS;
    }

    private boolean isOrphan(TableName name, Versioned found) {
        Table table = catalog.find(name);
        return table == null
                || !(found.value() instanceof BackupRecord record)
                || record.key().tableId() != table.meta.tableId()
                || isExpired(table, record.key());
    }

    private void delete(TableName name, List<Op> deletes) {
        if (deletes.isEmpty()) {
            names.remove(name);
            busy = false;
            tick();
            return;
        }
        registry.write(deletes, written -> {
            busy = false;
            if (written.isApplied()) {
                tick();
            }
        });
    }
}
