package io.uniserve.protocol.backup.ship;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.backup.format.StoredTableDefinition;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.replica.context.ReplicaContext;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maintenance of the table's definition in durable storage, so that its backup can be restored even if ZooKeeper's data are lost. The
 * primary of the table's first actor does it. Definitions of a table with a fixed set of actors are ordered by that actor's epoch, and
 * within an epoch by a counter. The first actor of a TIME table changes as chunks expire, so its definitions are ordered by the znode
 * version of the map first. A definition counts as stored once a later listing shows that the table is not dropped.
 */
final class TableDefinitionShipper {
    private static final Logger LOG = LoggerFactory.getLogger(TableDefinitionShipper.class);
    private static final int RETRY_INTERVALS = 5;
    private static final String STEP = "the table's definition";

    private final ReplicaContext host;
    private final ReplicaKey key;
    private final long epoch;
    private @Nullable TableMeta stored;
    private int number;
    private long retryAt;
    private boolean busy;
    private boolean definitionStored;
    private final Runnable onStored;
    private final BackupFailureTracker failures;

    /** @param found called once durable storage has a definition of the table, see {@link #definitionStored} */
    TableDefinitionShipper(
            ReplicaContext host, ReplicaKey key, long epoch, Runnable found, BackupFailureTracker trouble) {
        this.failures = trouble;
        this.onStored = found;
        this.host = host;
        this.key = key;
        this.epoch = epoch;
        this.retryAt = host.env().clock().nanos();
    }

    /** True when durable storage has a definition. Without one, the other objects of the table cannot be restored. */
    boolean isStored() {
        return definitionStored;
    }

    private void markStored() {
        if (!definitionStored) {
            definitionStored = true;
            onStored.run();
        }
    }

    /** Stores the definition if it differs from the last stored one. */
    void tick(long now, @Nullable TableMeta meta) {
        boolean owner = isFirstActor(meta);
        if (!owner && meta != null && meta.needsDurableStorage() && !definitionStored && !busy && now - retryAt >= 0) {
            findDefinition(now);
        }
        if (!owner || busy || meta == null || meta.equals(stored) || now - retryAt < 0) {
            return;
        }
        busy = true;
        failures.onStarted(STEP, now);
        Bytes data = StoredTableDefinition.encode(meta);
        String cluster = host.config().clusterId();
        String name = StoredTableDefinition.key(cluster, key.tableId(), order(meta), ++number, Sha256.hex(data));
        host.env().objects().put(name, data, put -> {
            if (put instanceof Outcome.Err<Done> err) {
                onFailed(err.error());
            } else {
                confirmStored(meta, name);
            }
        });
    }

    /** Returns whether this actor is the first one of its table. A chunk that was just made or expired may give two owners for a moment. */
    private boolean isFirstActor(@Nullable TableMeta meta) {
        if (meta == null || !(meta.partitioner() instanceof Partitioner.Time)) {
            return key.actor() == 0;
        }
        TableMap map = host.map(meta.name());
        return map != null
                && map.tableId() == key.tableId()
                && !map.actors().isEmpty()
                && map.actors().get(0).actor() == key.actor();
    }

    private long order(TableMeta meta) {
        return meta.partitioner() instanceof Partitioner.Time ? Math.max(0, host.mapVersion(meta.name())) : epoch;
    }

    private void findDefinition(long now) {
        busy = true;
        retryAt = now + host.config().retryNanos();
        host.env().objects().list(StoredTableDefinition.prefix(host.config().clusterId(), key.tableId()), listed -> {
            busy = false;
            if (listed instanceof Outcome.Ok<List<String>> ok) {
                failures.onSucceeded(STEP);
                if (!StoredTableDefinition.newest(ok.value(), host.config().clusterId())
                        .isEmpty()) {
                    markStored();
                }
            } else {
                failures.onFailed(STEP, host.env().clock().nanos(), listed.error());
            }
        });
    }

    private void onFailed(UniserveException error) {
        failures.onFailed(STEP, host.env().clock().nanos(), error);
        LOG.warn("{}: the table's definition cannot be backed up, will be retried: {}", key, error.reason());
        busy = false;
        retryAt = host.env().clock().nanos() + RETRY_INTERVALS * host.config().shippingNanos();
    }

    /** Checks that the table is not dropped; else it takes the definition back. Deletes older ones, which sort before it. */
    private void confirmStored(TableMeta meta, String newest) {
        String cluster = host.config().clusterId();
        String prefix = StoredTableDefinition.prefix(cluster, key.tableId());
        host.env().objects().list(prefix, listed -> {
            if (!(listed instanceof Outcome.Ok<List<String>> ok)) {
                onFailed(listed.error());
                return;
            }
            if (ok.value().contains(StoredTableDefinition.dropped(cluster, key.tableId()))) {
                host.env().objects().delete(newest, done -> {});
                onFailed(new UniserveException(
                        ErrorCode.TABLE_NOT_FOUND, "durable storage says that table " + meta.name() + " was dropped"));
                return;
            }
            busy = false;
            failures.onSucceeded(STEP);
            stored = meta;
            markStored();
            ok.value().stream()
                    .filter(name -> name.compareTo(newest) < 0)
                    .forEach(name -> host.env().objects().delete(name, done -> {}));
        });
    }
}
