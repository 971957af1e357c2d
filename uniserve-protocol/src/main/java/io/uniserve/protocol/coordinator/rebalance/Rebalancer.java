package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.protocol.coordinator.failover.ActorStateBuilder;
import io.uniserve.protocol.coordinator.failover.TableReconciler;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.LoadCollector;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.PeerReply.Load;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Automatic rebalancer. Every period it collects loads, runs the policy in the background, and starts the proposed moves, a few at a time.
 * It changes desired servers only; {@code ReassignmentStep} does the rest.
 *
 * <p>The moves under way follow from the map. All other state may be lost: loads, plan, limit on moves, manual moves. A new leader starts
 * again with one move at a time.
 *
 * <p>No move starts while a replica is missing or a server is being drained. Those changes take precedence, and they also change the loads.
 */
public final class Rebalancer {
    private static final Logger LOG = LoggerFactory.getLogger(Rebalancer.class);

    /** Number of periods that a replica stays after a move, until the loads show its effect. */
    private static final int PAUSE_PERIODS = 3;

    /** The reason to wait changes often during repairs, so only the start of the wait is logged. */
    private static final String WAITS = "waits: ";

    private final LeaderContext leader;
    private final TableReconciler reconciler;
    private final RebalanceSetup setup;
    private final RebalanceConfig config;
    private final MoveConcurrencyLimiter concurrency;
    private final ReplicationController replication;
    private final LoadAverages averages = new LoadAverages();
    private final List<ReplicaMove> plan = new ArrayList<>();
    private final TreeMap<ReplicaKey, Started> started = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> pausedUntil = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> manualUntil = new TreeMap<>();
    private String state = "begins";
    private long nextCollectNanos;
    private boolean policyRunning;

    public Rebalancer(LeaderContext leader, TableReconciler reconciler, RebalanceSetup how) {
        this.leader = leader;
        this.reconciler = reconciler;
        this.setup = how;
        this.config = how.config();
        this.concurrency = new MoveConcurrencyLimiter(config.movesMax(), config.periodNanos());
        this.replication = new ReplicationController(
                leader, reconciler, how.copies(), key -> pausedUntil.containsKey(key) || manualUntil.containsKey(key));
        this.nextCollectNanos = now() + config.periodNanos();
    }

    private long now() {
        return leader.env().clock().nanos();
    }

    /** Notes a manual move: the actor's replicas are not rebalanced for a while. */
    void onManualMove(ReplicaKey key) {
        manualUntil.put(key, now() + 1_000_000 * Limits.REBALANCE_BY_HAND_MS);
        plan.removeIf(move -> move.key().equals(key));
        started.remove(key);
    }

    /** Writes an operator's request for the replicas of one actor: its next state stands in {@code actors}. */
    void writeManualMove(Table table, ReplicaKey key, List<ActorState> actors) {
        onManualMove(key);
        reconciler.write(table, actors, List.of());
    }

    /** Called at every tick of the coordinator, once the leader has read its state. */
    public void tick() {
        if (!config.isEnabled()) {
            return;
        }
        long now = now();
        pausedUntil.values().removeIf(until -> now - until >= 0);
        manualUntil.values().removeIf(until -> now - until >= 0);
        ClusterView view = leader.clusterView();
        InProgressMoves under = InProgressMoves.of(leader.catalog().tables(), view);
        checkStarted(now);
        replication.check(under, now);
        if (under.blockingReason() != null) {
            plan.clear();
            replication.clear();
            setState(WAITS + under.blockingReason());
            return;
        }
        ReplicaKey changed = concurrency.isPaused(now) ? null : replication.start(under, now);
        if (changed != null) {
            plan.clear();
            pauseActor(changed, now);
        } else {
            startMoves(under, now);
        }
        if (!policyRunning && now - nextCollectNanos >= 0) {
            policyRunning = true;
            nextCollectNanos = now + config.periodNanos();
            LoadCollector.run(leader, this::onLoads);
        }
    }

    private void setState(String next) {
        boolean known = next.equals(state) || (next.startsWith(WAITS) && state.startsWith(WAITS));
        state = next;
        if (!known) {
            LOG.info("rebalancing {}", next);
        }
    }

    /** Records the results of moves that were started here. */
    private void checkStarted(long now) {
        for (Iterator<Map.Entry<ReplicaKey, Started>> all = started.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<ReplicaKey, Started> entry = all.next();
            Table table = leader.catalog().find(entry.getKey().tableId());
            if (table == null || !table.hasActor(entry.getKey().actor())) {
                all.remove();
            } else if (!table.writePending && !table.stale && hasEnded(table, entry.getKey(), entry.getValue(), now)) {
                all.remove();
            }
        }
    }

    private boolean hasEnded(Table table, ReplicaKey key, Started one, long now) {
        ActorState actor = table.actor(key.actor());
        boolean wished = actor.desiredServers().contains(one.move.to());
        if (wished && !actor.isOnDesiredServers()) {
            one.visibleInMap = true;
            return false;
        }
        String name = table.meta.name() + "/" + key.actor();
        long millis = (now - one.since) / 1_000_000;
        pauseActor(key, now);
        if (wished && !actor.desiredServers().contains(one.move.from())) {
            concurrency.onSuccess();
            LOG.info("rebalancing: {}: moved to {} in {} ms", name, one.move.to(), millis);
        } else if (one.visibleInMap) {
            concurrency.onFailure(now);
            plan.clear();
            LOG.warn("rebalancing: {}: move to {} failed after {} ms", name, one.move.to(), millis);
        }
        return true;
    }

    private void pauseActor(ReplicaKey key, long now) {
        pausedUntil.put(key, now + PAUSE_PERIODS * config.periodNanos());
    }

    private void onLoads(List<Load> loads) {
        int live = leader.liveServers().size();
        if (loads.size() < live) {
            policyRunning = false;
            setState(WAITS + (live - loads.size()) + " of " + live + " servers have not reported their load");
            return;
        }
        replication.onLoads(loads);
        averages.update(loads, key -> pausedUntil.containsKey(key) || started.containsKey(key));
        LiveCluster cluster = RebalanceInputBuilder.of(
                leader.usableServers(),
                leader.catalog().tables(),
                averages,
                loads,
                key -> !pausedUntil.containsKey(key) && !manualUntil.containsKey(key),
                replication);
        ReplicationPolicy.CopyTraffic costs =
                replication.costs(InProgressMoves.of(leader.catalog().tables(), leader.clusterView()), averages);
        setup.background()
                .run(
                        () -> new Plan(setup.policy().moves(cluster), replication.plan(cluster, costs)),
                        leader.registry().scoped(this::onPlan));
    }

    private void onPlan(Outcome<Plan> outcome) {
        policyRunning = false;
        plan.clear();
        if (outcome instanceof Outcome.Ok<Plan> ok) {
            replication.onPlan(ok.value().copies(), averages);
            List<ReplicaMove> moves =
                    replication.isPending() ? List.of() : ok.value().moves();
            plan.addAll(moves.subList(0, Math.min(moves.size(), Limits.REBALANCE_PLAN_MOVES_MAX)));
            if (plan.isEmpty() && started.isEmpty()) {
                concurrency.reset();
            }
            setState(plan.isEmpty() ? "sees nothing to move" : "has " + plan.size() + " replicas to move");
        } else if (outcome instanceof Outcome.Err<Plan> err) {
            replication.clear();
            concurrency.onFailure(now());
            setState("has no plan: " + err.error().getMessage());
        }
    }

    /** Starts moves of the plan within the limits. */
    private void startMoves(InProgressMoves under, long now) {
        int room = concurrency.limit(now) - under.moving().size();
        Map<Table, List<ReplicaMove>> chosen = new LinkedHashMap<>();
        for (Iterator<ReplicaMove> all = plan.iterator(); room > 0 && all.hasNext(); ) {
            ReplicaMove move = all.next();
            Table table = leader.catalog().find(move.key().tableId());
            if (table == null || !isPossible(table, move, now)) {
                all.remove();
            } else if (!table.writePending
                    && !table.stale
                    && under.of(move.from()) < config.movesPerServerMax()
                    && under.of(move.to()) < config.movesPerServerMax()) {
                all.remove();
                chosen.computeIfAbsent(table, unused -> new ArrayList<>()).add(move);
                under.add(move.key(), stateAfter(table.actor(move.key().actor()), move));
                room--;
            }
        }
        chosen.forEach((table, moves) -> write(table, moves, under.moving().size(), now));
    }

    private boolean isPossible(Table table, ReplicaMove move, long now) {
        if (!table.hasActor(move.key().actor())
                || manualUntil.containsKey(move.key())
                || pausedUntil.containsKey(move.key())) {
            return false;
        }
        ActorState actor = table.actor(move.key().actor());
        return actor.isOnDesiredServers()
                && actor.epochStarted()
                && actor.fencing().isEmpty()
                && actor.desiredServers().contains(move.from())
                && !actor.desiredServers().contains(move.to())
                && !leader.replicas().isBackingOff(move.key(), move.to(), now)
                && leader.usableServers().stream()
                        .anyMatch(server ->
                                server.id().equals(move.to()) && ClusterView.offersPort(server, table.meta.port()));
    }

    private static ActorState stateAfter(ActorState actor, ReplicaMove move) {
        return ActorStateBuilder.withMove(actor, move.from(), move.to());
    }

    private void write(Table table, List<ReplicaMove> moves, int under, long now) {
        List<ActorState> actors = new ArrayList<>(table.map().actors());
        for (ReplicaMove move : moves) {
            int number = move.key().actor();
            int at = table.map().indexOf(number);
            actors.set(at, stateAfter(actors.get(at), move));
            started.put(move.key(), new Started(move, now));
            LOG.info(
                    "rebalancing: {}/{} is to move from {} to {}: {}; {} under way, {} allowed, {} more to move",
                    table.meta.name(),
                    number,
                    move.from(),
                    move.to(),
                    move.reason(),
                    under,
                    concurrency.limit(now),
                    plan.size());
        }
        reconciler.write(table, actors, List.of());
    }

    /** All current moves, automatic and manual. */
    public AdminReply.Rebalance report() {
        InProgressMoves under = InProgressMoves.of(leader.catalog().tables(), leader.clusterView());
        List<AdminReply.MoveStatus> moves = new ArrayList<>();
        under.moving().forEach((key, actor) -> {
            Table table = leader.catalog().find(key.tableId());
            if (table != null && moves.size() < Limits.REBALANCE_PLAN_MOVES_MAX) {
                Started one = started.get(key);
                moves.add(new AdminReply.MoveStatus(
                        table.meta.name(),
                        key.actor(),
                        InProgressMoves.sources(actor),
                        one == null ? InProgressMoves.targets(actor) : List.of(one.move.to()),
                        one == null ? "" : one.move.reason()));
            }
        });
        String told = !config.isEnabled()
                ? "off"
                : concurrency.isPaused(now()) ? state + "; paused after a failed move" : state;
        return new AdminReply.Rebalance(told, plan.size(), moves, replication.report());
    }

    /** Proposals of both policies. */
    private record Plan(List<ReplicaMove> moves, ReplicationPolicy.Plan copies) {}

    /** A move that this leader has started. */
    private static final class Started {
        final ReplicaMove move;
        final long since;

        /** The map has shown the move. */
        boolean visibleInMap;

        Started(ReplicaMove move, long since) {
            this.move = move;
            this.since = since;
        }
    }
}
