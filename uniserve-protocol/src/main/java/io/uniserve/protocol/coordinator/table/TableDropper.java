package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.metadata.TombstoneStore;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import io.uniserve.protocol.message.AdminReply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Procedure that drops a table: one multi deletes definition and map, and writes the tombstone of its number. Servers see the tombstone and
 * delete their replicas.
 */
public final class TableDropper {
    private static final Logger LOG = LoggerFactory.getLogger(TableDropper.class);
    private static final int ATTEMPTS_MAX = 40;

    private final LeaderContext leader;
    private final TableName name;
    private final long tableId;
    private final PendingAdminReply reply;
    private int attempts;

    public TableDropper(LeaderContext leader, Table table, PendingAdminReply answer) {
        this.leader = leader;
        this.name = table.meta.name();
        this.tableId = table.meta.tableId();
        this.reply = answer;
    }

    public void start() {
        Table table = leader.catalog().find(name);
        if (table == null || table.meta.tableId() != tableId) {
            onDropped();
        } else if (++attempts > ATTEMPTS_MAX) {
            reply.fail(new UniserveException(
                    ErrorCode.OUTCOME_UNKNOWN,
                    "the registry did not confirm the drop of " + name
                            + ": describe the table, and drop it again if it is present"));
        } else if (table.writePending || table.stale) {
            leader.retryLater();
            leader.registry().after(leader.config().tickNanos() / 4, this::start);
        } else {
            write(table);
        }
    }

    private void write(Table table) {
        table.writePending = true;
        if (table.meta.partitioner() instanceof Partitioner.Time) {
            createRecord(table);
            return;
        }
        if (table.meta.level() == ConsistencyLevel.EVENTUAL) {
            write(table, List.of());
            return;
        }
        deleteIfPresent(
                table,
                RegistryPaths.log(name, tableId),
                log -> deleteIfPresent(table, RegistryPaths.outcomes(name, tableId), outcomes -> {
                    List<Op> more = new ArrayList<>(log); // a changed node fails the multi, which is then retried
                    more.addAll(outcomes);
                    write(table, more);
                }));
    }

    /**
     * Drops a TIME table. Its definition may be in durable storage although no chunk and no backup record is left, so the drop leaves the
     * record of actor 0 for the task that deletes the remains.
     */
    private void createRecord(Table table) {
        ReplicaKey key = new ReplicaKey(tableId, 0);
        leader.registry().read(RegistryPaths.backup(name, key), read -> {
            if (read instanceof Outcome.Ok<Versioned> ok) {
                Op create = new Op.Create(
                        RegistryPaths.backup(name, key), new BackupRecord(key, false, 1, 0, "", 0), false);
                write(table, ok.value().version() == Registry.ABSENT ? List.of(create) : List.of());
            } else {
                retry(table);
            }
        });
    }

    /** Deletes a node in its current version, if it exists. */
    private void deleteIfPresent(Table table, String path, Consumer<List<Op>> then) {
        leader.registry().read(path, read -> {
            if (read instanceof Outcome.Ok<Versioned> ok) {
                int version = ok.value().version();
                then.accept(version == Registry.ABSENT ? List.of() : List.of(new Op.Delete(path, version)));
            } else {
                retry(table);
            }
        });
    }

    private void retry(Table table) {
        table.writePending = false;
        table.stale = true;
        start();
    }

    private void write(Table table, List<Op> more) {
        List<Op> ops = new ArrayList<>(List.of(
                new Op.Delete(RegistryPaths.map(name), table.mapVersion()),
                new Op.Delete(RegistryPaths.meta(name), table.metaVersion)));
        ops.add(TombstoneStore.create(tableId, name, Tombstone.Reason.DROPPED));
        ops.addAll(more);
        leader.registry().write(ops, written -> {
            if (written.isApplied()) {
                table.writePending = false;
                leader.catalog().remove(name);
                onDropped();
            } else {
                retry(table);
            }
        });
    }

    private void onDropped() {
        LOG.info("table {} (number {}): dropped", name, tableId);
        leader.droppedTables().addAll(List.of(name));
        TombstoneStore.trim(leader.registry());
        leader.routingChanged();
        reply.ok(new AdminReply.Ack());
    }
}
