package io.uniserve.protocol.coordinator.failover;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMap;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.backup.BackupHandler;
import io.uniserve.protocol.coordinator.election.FencedRegistry.WriteResult;
import io.uniserve.protocol.coordinator.metadata.CatalogManager;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.env.Registry.Op;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Level-triggered reconciliation loop: compares every table with its goal, and writes one compare-and-set per table and step. */
public final class TableReconciler {
    private static final Logger LOG = LoggerFactory.getLogger(TableReconciler.class);

    private static final int TAKEOVER_DOUBLINGS_MAX = 20;

    private final LeaderContext leader;
    private final IntactReplicaTracker intactReplicas;
    private final LostActorRecovery losses;

    public TableReconciler(LeaderContext leader, IntactReplicaTracker intactReplicas, BackupHandler backups) {
        this.leader = leader;
        this.intactReplicas = intactReplicas;
        this.losses = new LostActorRecovery(leader, this, backups);
    }

    public void pass() {
        long now = leader.env().clock().nanos();
        Map<Long, Table> byId = new TreeMap<>();
        leader.catalog().tables().forEach(table -> byId.put(table.meta.tableId(), table));
        leader.replicas().retain(key -> {
            Table table = byId.get(key.tableId());
            return table != null && table.hasActor(key.actor());
        });
        ClusterView view = leader.clusterView();
        ActorReconciler decider = reconciler(view);
        for (Table table : List.copyOf(leader.catalog().tables())) {
            if (table.writePending) {
                continue;
            }
            if (table.stale) {
                reload(table);
            } else {
                step(table, decider, view, now);
            }
        }
        intactReplicas.requestReports();
    }

    /** Decides the next state of single actors, on the servers as they are in {@code view}. */
    ActorReconciler reconciler(ClusterView view) {
        return new ActorReconciler(
                leader.config(),
                leader.placement(),
                leader.replicas(),
                intactReplicas,
                view,
                leader.env().clock().nanos());
    }

    private void step(Table table, ActorReconciler decider, ClusterView view, long now) {
        List<ActorState> next = new ArrayList<>(table.map().actors().size());
        boolean changed = false;
        for (ActorState actor : table.map().actors()) {
            ActorState decided = decider.decide(table.meta, actor);
            if (!decided.equals(actor)) {
                changed = true;
                view.countReplicas(actor, -1);
                view.countReplicas(decided, 1);
            }
            next.add(decided);
        }
        if (changed) {
            write(table, next, List.of());
        } else {
            recoverLost(table, view, now);
        }
    }

    private void recoverLost(Table table, ClusterView view, long now) {
        for (ActorState actor : table.map().actors()) {
            ReplicaKey key = new ReplicaKey(table.meta.tableId(), actor.actor());
            boolean silent = actor.isr().stream()
                    .allMatch(id -> view.isDead(id) || leader.replicas().isUnhealthy(key, actor, id, now));
            if (leader.replicas().lostNanos(key, silent, now) >= takeoverDelayNanos(key, actor)
                    && isLost(view, key, actor)) {
                losses.consider(table, actor, now);
            }
        }
    }

    /** Waiting time before the next takeover. It doubles with each failed one, because a damaged backup fails on every server. */
    private long takeoverDelayNanos(ReplicaKey key, ActorState actor) {
        long grace = leader.config().lossGraceNanos();
        long failed = leader.replicas().failedTakeovers(key)
                + (actor.previousIsr().isr().isEmpty()
                        ? 0
                        : actor.epoch() - actor.previousIsr().epoch());
        if (failed == 0) {
            return grace;
        }
        long pause = Limits.TAKEOVER_RETRY_MS_MIN << Math.min(failed - 1, TAKEOVER_DOUBLINGS_MAX);
        return Math.max(grace, 1_000_000 * Math.min(pause, Limits.TAKEOVER_RETRY_MS_MAX));
    }

    /** True when no in-sync replica is left that can serve. */
    boolean isLost(ClusterView view, ReplicaKey key, ActorState actor) {
        long now = leader.env().clock().nanos();
        return actor.isr().stream().allMatch(id -> isLost(view, key, actor, id, now));
    }

    /** True if the server is gone from the registry, and not only dead by pings, or if its replica is unhealthy. */
    private boolean isLost(ClusterView view, ReplicaKey key, ActorState actor, ServerId id, long now) {
        boolean gone = !view.isRegistered(id) && view.isDead(id);
        return gone || leader.replicas().isUnhealthy(key, actor, id, now);
    }

    /** True when no in-sync replica can recover by itself. A full disk, for example, is not a loss for good. */
    boolean isLostForGood(ClusterView view, ReplicaKey key, ActorState actor) {
        long now = leader.env().clock().nanos();
        return actor.isr().stream()
                .allMatch(id -> !view.isRegistered(id) && view.isDead(id)
                        || leader.replicas().isLost(key, actor, id, now));
    }

    /** Writes all changes of the table, together with {@code also}, in one multi. */
    public void write(Table table, List<ActorState> actors, List<Op> also) {
        write(table, table.map().withActors(actors), also, () -> {});
    }

    /**
     * Writes a new map of the table, together with {@code also}, in one multi.
     *
     * @param then runs after the write, whether it was applied or not
     */
    public void write(Table table, TableMap next, List<Op> also, Runnable then) {
        write(table, next, also, written -> true, then);
    }

    /**
     * Writes a new map of the table while another node has this version.
     *
     * @param then gets true if the write was not applied because the other node differs; the map is as before then
     */
    public void writeIfUnchanged(Table table, TableMap next, Op.Check other, Consumer<Boolean> then) {
        boolean[] differs = {false};
        write(
                table,
                next,
                List.of(other),
                written -> {
                    differs[0] = written.conflict() == 1;
                    return !differs[0];
                },
                () -> then.accept(differs[0]));
    }

    private void write(Table table, TableMap next, List<Op> also, Predicate<WriteResult> makesStale, Runnable then) {
        TableMap before = table.map();
        List<Op> ops = new ArrayList<>();
        ops.add(new Op.Set(RegistryPaths.map(table.meta.name()), next, table.mapVersion()));
        ops.addAll(also);
        table.writePending = true;
        leader.registry().write(ops, written -> {
            table.writePending = false;
            if (written.isApplied()) {
                table.applyMap(next, written.versions().get(0));
                log(table, before);
                recordTakeovers(table, before);
                leader.routingChanged();
                leader.reconcileSoon();
            } else {
                table.stale = makesStale.test(written);
                leader.retryLater();
            }
            then.run();
        });
    }

    private void reload(Table table) {
        table.writePending = true;
        leader.registry()
                .afterSync(() -> leader.catalog().reload(table.meta.name(), new CatalogManager.LoadCallback() {
                    @Override
                    public void onLoaded() {
                        leader.routingChanged();
                        leader.reconcileSoon();
                    }

                    @Override
                    public void onFailed(UniserveException error) {
                        table.writePending = false;
                        leader.retryLater();
                    }
                }));
    }

    private void recordTakeovers(Table table, TableMap before) {
        for (ActorState was : before.actors()) {
            ActorState is = table.map().find(was.actor());
            if (is != null
                    && !was.previousIsr().isr().isEmpty()
                    && is.previousIsr().isr().isEmpty()) {
                leader.replicas()
                        .onTakeoverEnded(
                                new ReplicaKey(table.meta.tableId(), was.actor()),
                                was,
                                is.restoreEpoch() < was.restoreEpoch(),
                                leader.env().clock().nanos());
            }
        }
    }

    private static void log(Table table, TableMap before) {
        for (ActorState was : before.actors()) {
            ActorState is = table.map().find(was.actor());
            if (is == null) {
                continue; // its chunk is expired
            }
            if (was.epoch() != is.epoch() || !was.learners().equals(is.learners())) {
                LOG.info(
                        "{}/{} epoch {} primary {} isr {} learners {}",
                        table.meta.name(),
                        was.actor(),
                        is.epoch(),
                        is.primary(),
                        is.isr(),
                        is.learners());
            }
        }
    }
}
