package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import io.uniserve.protocol.coordinator.failover.ActorStateBuilder;
import io.uniserve.protocol.coordinator.failover.TableReconciler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.PeerReply.Load;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Controller of automatic copies and of the shares of queries. It writes at most one change of the policy at a time into the map;
 * {@code ReassignmentStep} carries it out, under any leader. The request of an operator is a lower bound that it never changes.
 *
 * <p>A change starts when two successive plans propose it and nothing else moves. Afterwards the actor rests. Copies that are not in sync
 * within an hour are given up. All state except the map may be lost: findings, measured rates, cool-downs.
 */
final class ReplicationController {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicationController.class);

    /** Number of successive plans that must propose a change. One plan may be wrong because of a short burst. */
    private static final int PLANS_MIN = 2;

    private final LeaderContext leader;
    private final TableReconciler reconciler;
    private final ReplicationSetup setup;
    private final Predicate<ReplicaKey> isResting;
    private final CopyRate rate = new CopyRate();
    private final UpdateRates updates = new UpdateRates();
    private final TreeMap<ReplicaKey, Long> noCopyUntil = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> noDropUntil = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> growingSince = new TreeMap<>();
    private final TreeMap<ReplicaKey, String> findings = new TreeMap<>();
    private final long leadsSince;
    private @Nullable Change proposed;
    private int proposals;
    private long proposedBytes;
    private @Nullable Started started;

    /** @param isResting true for an actor that was moved recently, manually or automatically */
    ReplicationController(
            LeaderContext leader, TableReconciler reconciler, ReplicationSetup setup, Predicate<ReplicaKey> isResting) {
        this.leader = leader;
        this.reconciler = reconciler;
        this.setup = setup;
        this.isResting = isResting;
        this.leadsSince = now();
    }

    private long now() {
        return leader.env().clock().nanos();
    }

    /** Evaluates the servers' reports of updates. */
    void onLoads(List<Load> loads) {
        updates.update(loads, now());
    }

    /** State of an actor's copies, as input of the policy. */
    CopyState stateOf(Table table, ActorState actor, LoadAverages averages) {
        ReplicaKey key = new ReplicaKey(table.meta.tableId(), actor.actor());
        if (!setup.isEnabled()) {
            return CopyState.FIXED;
        }
        long now = now();
        boolean justLeads = now - leadsSince < setup.coolDownNanos();
        boolean rests = isResting.test(key);
        return new CopyState(
                averages.cost(key),
                averages.newest(key),
                normalized(actor),
                least(table, actor),
                actor.automaticCopies(),
                averages.bytes(key),
                updates.perSecond(key),
                ReservedTableOptions.hasAutomaticCopies(table.meta),
                !rests && !noCopyUntil.containsKey(key),
                !rests && !justLeads && !noDropUntil.containsKey(key));
    }

    private static int least(Table table, ActorState actor) {
        return least(table.meta, actor);
    }

    /** Replicas that the table's rf or an operator requires. */
    static int least(TableMeta table, ActorState actor) {
        return Math.max(table.rf(), actor.copies());
    }

    /** The weights with the sum 1; none unless they name exactly the desired servers. */
    static Map<ServerId, Double> normalized(ActorState actor) {
        double sum = actor.weights().values().stream()
                .mapToDouble(Double::doubleValue)
                .sum();
        if (!(sum > 0) || !actor.weights().keySet().equals(new TreeSet<>(actor.desiredServers()))) {
            return Map.of();
        }
        Map<ServerId, Double> weights = new TreeMap<>();
        actor.weights().forEach((server, weight) -> weights.put(server, weight / sum));
        return weights;
    }

    /** The plan of the policy; nothing if there are no automatic copies. */
    ReplicationPolicy.Plan plan(LiveCluster cluster, ReplicationPolicy.CopyTraffic costs) {
        return setup.isEnabled() ? setup.policy().plan(cluster, costs) : ReplicationPolicy.Plan.NOTHING;
    }

    /** Measured cost of copies, with the bytes of the actors that move now. */
    ReplicationPolicy.CopyTraffic costs(InProgressMoves under, LoadAverages averages) {
        long bytes = under.moving().keySet().stream().mapToLong(averages::bytes).sum();
        return new ReplicationPolicy.CopyTraffic(rate.bytesPerSecond(), bytes);
    }

    /** Takes a new plan. The same change must be proposed twice. */
    void onPlan(ReplicationPolicy.Plan plan, LoadAverages averages) {
        findings.clear();
        plan.findings().forEach(finding -> findings.put(finding.key(), finding.reason()));
        Change next = plan.change().orElse(null);
        Change before = proposed;
        boolean again = next != null
                && before != null
                && next.key().equals(before.key())
                && next.getClass().equals(before.getClass());
        proposals = next == null ? 0 : again ? proposals + 1 : 1;
        proposed = next;
        proposedBytes = next == null ? 0 : averages.bytes(next.key());
    }

    /** Forgets the proposals. */
    void clear() {
        proposed = null;
        proposals = 0;
    }

    /** True if a change that alters the loads is proposed or under way, so that moves would be premature. */
    boolean isPending() {
        return started != null || proposed instanceof AddCopies || proposed instanceof SetWeights;
    }

    /** Checks the change under way, and ends copies that take too long. Called at every tick. */
    void check(InProgressMoves under, long now) {
        noCopyUntil.values().removeIf(until -> now - until >= 0);
        noDropUntil.values().removeIf(until -> now - until >= 0);
        growingSince.keySet().retainAll(new TreeSet<>(under.moving().keySet()));
        under.moving().forEach((key, actor) -> {
            if (actor.isr().size() >= actor.automaticCopies()) {
                growingSince.remove(key); // moved, perhaps by an operator, but no copy is missing
                return;
            }
            growingSince.putIfAbsent(key, now);
            if (now - growingSince.get(key) >= 1_000_000 * Limits.REBALANCE_COPY_MS_MAX) {
                giveUp(key, now);
            }
        });
        Started one = started;
        if (one != null && hasEnded(one, now)) {
            started = null;
        }
    }

    private boolean hasEnded(Started one, long now) {
        ReplicaKey key = one.change.key();
        Table table = leader.catalog().find(key.tableId());
        if (table == null || !table.hasActor(key.actor())) {
            return true;
        }
        if (table.writePending || table.stale) {
            return false;
        }
        ActorState actor = table.actor(key.actor());
        if (one.change instanceof SetWeights) {
            return true;
        }
        int wanted = one.change instanceof AddCopies add ? add.copies() : ((DropCopy) one.change).copies();
        boolean wished = actor.automaticCopies() == wanted;
        if (wished && !actor.isOnDesiredServers()) {
            return false;
        }
        boolean lost =
                wished && one.change instanceof AddCopies add && !actor.isr().containsAll(add.targets());
        if (lost) { // a server is gone, so the time says nothing about copies
            noCopyUntil.put(key, now + setup.coolDownNanos());
        } else if (wished && one.change instanceof AddCopies) {
            rate.add(one.bytes, now - one.since); // the copies were made beside each other
            noDropUntil.put(key, now + setup.coolDownNanos());
            LOG.info(
                    "copies: {}/{}: {} replicas in sync after {} ms",
                    table.meta.name(),
                    key.actor(),
                    actor.isr().size(),
                    (now - one.since) / 1_000_000);
        } else if (wished) {
            noCopyUntil.put(key, now + setup.coolDownNanos());
        }
        return true;
    }

    /** Withdraws the automatic copies that an actor does not get. */
    private void giveUp(ReplicaKey key, long now) {
        Table table = leader.catalog().find(key.tableId());
        if (table == null || !table.hasActor(key.actor()) || table.writePending || table.stale) {
            return;
        }
        ActorState actor = table.actor(key.actor());
        List<ServerId> inSync = new ArrayList<>(actor.isr());
        inSync.remove(actor.primary());
        inSync.add(0, actor.primary());
        int left = Math.max(least(table, actor), inSync.size());
        if (inSync.size() < left) {
            return; // another replica is missing too: the repair comes first
        }
        List<ServerId> desired = inSync.subList(0, left);
        LOG.warn(
                "copies: {}/{}: copies are not in sync after an hour, they are given up",
                table.meta.name(),
                key.actor());
        noCopyUntil.put(key, now + setup.coolDownNanos());
        growingSince.remove(key);
        write(
                table,
                ActorStateBuilder.withAutomaticReplicas(
                        actor, left <= least(table, actor) ? 0 : left, List.copyOf(desired)));
    }

    /** Starts the proposed change if nothing moves. Returns its actor, or null if nothing started. */
    @Nullable
    ReplicaKey start(InProgressMoves under, long now) {
        Change change = narrowed(proposed, now);
        if (change == null
                || started != null
                || proposals < PLANS_MIN
                || !under.moving().isEmpty()) {
            return null;
        }
        Table table = leader.catalog().find(change.key().tableId());
        if (table == null || !isPossible(table, change, now)) {
            clear();
            return null;
        }
        if (table.writePending || table.stale) {
            return null;
        }
        started = new Started(change, now, proposedBytes);
        clear();
        LOG.info("copies: {}/{}: {}: {}", table.meta.name(), change.key().actor(), text(change), change.reason());
        write(table, next(table.actor(change.key().actor()), change));
        return change.key();
    }

    /** The change without servers that cannot take a copy now; the others need not wait for them. */
    private @Nullable Change narrowed(@Nullable Change change, long now) {
        Table table = change == null ? null : leader.catalog().find(change.key().tableId());
        if (!(change instanceof AddCopies add)
                || table == null
                || !table.hasActor(add.key().actor())) {
            return change;
        }
        ActorState actor = table.actor(add.key().actor());
        List<ServerId> targets = add.targets().stream()
                .filter(target -> isPossibleTarget(table, actor, target, now))
                .toList();
        int fewer = add.targets().size() - targets.size();
        return targets.isEmpty() ? change : new AddCopies(add.key(), targets, add.copies() - fewer, add.reason());
    }

    private static String text(Change change) {
        if (change instanceof AddCopies add) {
            return "copies are made on " + add.targets();
        }
        return change instanceof DropCopy drop
                ? "the copy on " + drop.source() + " goes"
                : "shares are " + ((SetWeights) change).weights();
    }

    private boolean isPossible(Table table, Change change, long now) {
        int number = change.key().actor();
        if (!table.hasActor(number) || isResting.test(change.key())) {
            return false;
        }
        ActorState actor = table.actor(number);
        if (!actor.isOnDesiredServers()
                || !actor.epochStarted()
                || !actor.fencing().isEmpty()) {
            return false;
        }
        int replicas = actor.desiredServers().size();
        if (change instanceof AddCopies add) {
            return add.copies() == replicas + add.targets().size()
                    && add.copies() <= Limits.REPLICATION_FACTOR_MAX
                    && new TreeSet<>(add.targets()).size() == add.targets().size()
                    && ReservedTableOptions.hasAutomaticCopies(table.meta)
                    && add.targets().stream().allMatch(target -> isPossibleTarget(table, actor, target, now));
        }
        if (change instanceof DropCopy drop) {
            int left = drop.copies() == 0 ? least(table, actor) : drop.copies();
            return actor.automaticCopies() > 0
                    && left == replicas - 1
                    && left >= least(table, actor)
                    && actor.desiredServers().contains(drop.source())
                    && !actor.primary().equals(drop.source());
        }
        Map<ServerId, Double> weights = ((SetWeights) change).weights();
        return (weights.isEmpty() || weights.keySet().equals(new TreeSet<>(actor.isr())))
                && weights.values().stream().allMatch(weight -> weight >= 0 && weight <= 1);
    }

    private boolean isPossibleTarget(Table table, ActorState actor, ServerId target, long now) {
        ReplicaKey key = new ReplicaKey(table.meta.tableId(), actor.actor());
        return !actor.desiredServers().contains(target)
                && !leader.replicas().isBackingOff(key, target, now)
                && leader.usableServers().stream()
                        .anyMatch(server ->
                                server.id().equals(target) && ClusterView.offersPort(server, table.meta.port()));
    }

    private static ActorState next(ActorState actor, Change change) {
        List<ServerId> desired = new ArrayList<>(actor.desiredServers());
        if (change instanceof AddCopies add) {
            desired.addAll(add.targets());
            return ActorStateBuilder.withAutomaticReplicas(actor, add.copies(), desired);
        }
        if (change instanceof DropCopy drop) {
            desired.remove(drop.source());
            return ActorStateBuilder.withAutomaticReplicas(actor, drop.copies(), desired);
        }
        return ActorStateBuilder.withWeights(actor, ((SetWeights) change).weights());
    }

    private void write(Table table, ActorState next) {
        reconciler.write(
                table, table.map().withActor(next.actor(), before -> next).actors(), List.of());
    }

    /** Actors that are hot, have automatic copies, or have shares, at most {@link Limits#REBALANCE_PLAN_MOVES_MAX}. */
    List<AdminReply.CopyStatus> report() {
        List<AdminReply.CopyStatus> all = new ArrayList<>();
        for (Table table : leader.catalog().tables()) {
            for (ActorState actor : table.map().actors()) {
                String reason = findings.getOrDefault(new ReplicaKey(table.meta.tableId(), actor.actor()), "");
                boolean shown = actor.automaticCopies() > 0 || !actor.weights().isEmpty() || !reason.isEmpty();
                if (shown && all.size() < Limits.REBALANCE_PLAN_MOVES_MAX) {
                    all.add(new AdminReply.CopyStatus(
                            table.meta.name(),
                            actor.actor(),
                            actor.isr().size(),
                            least(table, actor),
                            actor.automaticCopies(),
                            actor.weights(),
                            reason));
                }
            }
        }
        return all;
    }

    /** Change that this leader has written. */
    private record Started(Change change, long since, long bytes) {}
}
