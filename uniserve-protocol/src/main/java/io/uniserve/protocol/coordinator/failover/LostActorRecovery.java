package io.uniserve.protocol.coordinator.failover;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.OnLoss;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.backup.BackupHandler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.env.Registry.Versioned;
import java.util.List;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Recovery of an actor whose in-sync replicas are all gone. A clean backup has every entry, so a takeover by another server loses nothing.
 * The write checks the znode version of the backup record: if a primary returns and clears the mark in between, it wins. The backup of a
 * table of durability REMOTE has every acknowledged entry, which suffices once the actor is lost for good. Otherwise the table's
 * {@code onLoss} decides.
 */
final class LostActorRecovery {
    private static final Logger LOG = LoggerFactory.getLogger(LostActorRecovery.class);
    private static final long PERIOD_NANOS = 5_000_000_000L;

    private static final long RESTORE_PAUSE_NANOS = Limits.TAKEOVER_RETRY_MS_MAX * 1_000_000;
    private static final int DOUBLINGS_MAX = 10;

    private final LeaderContext leader;
    private final TableReconciler tables;
    private final BackupHandler backups;
    private final TreeMap<Long, Attempt> attempts = new TreeMap<>();

    LostActorRecovery(LeaderContext leader, TableReconciler tables, BackupHandler backups) {
        this.leader = leader;
        this.tables = tables;
        this.backups = backups;
    }

    /** Restores all actors of the table together. The pause doubles after each failure, as most causes last long. */
    private void restoreTable(Table table, int number) {
        long id = table.meta.tableId();
        long now = leader.env().clock().nanos();
        Attempt last = attempts.get(id);
        if (last != null && now - last.dueNanos < 0) {
            return;
        }
        IntPredicate lost = actor -> {
            Table known = leader.catalog().find(id);
            return known != null
                    && known.hasActor(actor)
                    && tables.isLostForGood(leader.clusterView(), new ReplicaKey(id, actor), known.actor(actor));
        };
        backups.rollBackTable(table, number, lost, done -> {
            attempts.keySet().removeIf(other -> leader.catalog().find(other) == null);
            int failures = last == null ? 0 : last.failures + 1;
            long pause = Math.min(PERIOD_NANOS << Math.min(failures, DOUBLINGS_MAX), RESTORE_PAUSE_NANOS);
            if (!done) {
                attempts.put(id, new Attempt(failures, leader.env().clock().nanos() + pause));
            }
        });
    }

    private record Attempt(int failures, long dueNanos) {}

    void consider(Table table, ActorState actor, long now) {
        ReplicaKey key = new ReplicaKey(table.meta.tableId(), actor.actor());
        if (table.writePending || !leader.replicas().isLossCheckDue(key, now, PERIOD_NANOS)) {
            return;
        }
        String path = RegistryPaths.backup(table.meta.name(), key);
        table.writePending = true;
        leader.registry()
                .afterSync(() -> leader.registry().read(path, outcome -> {
                    table.writePending = false;
                    if (outcome instanceof Outcome.Ok<Versioned> ok) {
                        decide(table, actor, key, path, ok.value());
                    }
                }));
    }

    private void decide(Table table, ActorState actor, ReplicaKey key, String path, Versioned found) {
        ClusterView view = leader.clusterView();
        if (!tables.isLost(view, key, actor)) {
            leader.reconcileSoon();
            return;
        }
        BackupRecord backup = found.value() instanceof BackupRecord record ? record : null;
        boolean forGood = tables.isLostForGood(view, key, actor);
        boolean complete = isTakeoverLossless(table, actor, backup, forGood);
        if (table.meta.onLoss() == OnLoss.RESTORE_TABLE && forGood && !complete) {
            restoreTable(table, actor.actor());
            return;
        }
        boolean restore = table.meta.onLoss() == OnLoss.RESTORE_ACTOR && forGood;
        if (!complete && (backup == null || !restore)) {
            if (leader.replicas().isFirstLossReport(key)) {
                LOG.warn(
                        "{}/{}: last replicas {} lost, and {}: waiting for the server to return",
                        table.meta.name(),
                        actor.actor(),
                        actor.isr(),
                        backup == null ? "it has no backup" : "its backup is not complete");
            }
            leader.reconcileSoon();
            return;
        }
        ActorState next = tables.reconciler(view).takeOver(table.meta, actor);
        if (next.equals(actor)) {
            if (leader.replicas().isFirstLossReport(key)) {
                LOG.warn(
                        "{}/{}: lost, and no server can take it over: {}",
                        table.meta.name(),
                        actor.actor(),
                        view.noEligibleReason(table.meta.port()));
            }
            return;
        }
        LOG.warn(
                "{}/{}: takeover by {} from durable storage ({})",
                table.meta.name(),
                actor.actor(),
                next.primary(),
                backup != null && backup.clean()
                        ? "complete"
                        : complete ? "all acknowledged updates" : "shipped entries only, the last updates may be lost");
        long now = leader.env().clock().nanos();
        leader.replicas()
                .onTakeover(
                        key,
                        actor.isr().stream()
                                .filter(id -> leader.replicas().isUnhealthy(key, actor, id, now))
                                .toList());
        tables.write(
                table,
                table.map().withActor(actor.actor(), unused -> next).actors(),
                List.of(checkUnchanged(key, actor, path, found, backup)));
    }

    /**
     * True when a takeover loses no acknowledged update. With durability REMOTE an entry is acknowledged only after the actor's record
     * shows it as shipped. So without a record nothing was acknowledged, and the actor may restart empty.
     */
    private static boolean isTakeoverLossless(
            Table table, ActorState actor, @Nullable BackupRecord backup, boolean forGood) {
        boolean shippedFirst = table.meta.needsDurableStorage() && forGood;
        return backup == null ? shippedFirst : (backup.clean() || shippedFirst) && backup.epoch() <= actor.epoch();
    }

    /** Condition that the backup record is as it was read. An absent record is created, so that no deposed primary can create it. */
    private static Op checkUnchanged(
            ReplicaKey key, ActorState actor, String path, Versioned found, @Nullable BackupRecord backup) {
        return backup == null && found.version() == Registry.ABSENT
                ? new Op.Create(path, new BackupRecord(key, false, actor.epoch(), 0, "", 0), false)
                : new Op.Check(path, found.version());
    }
}
