package io.uniserve.protocol.coordinator;

import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
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
 * It changes desired servers only; {@link ReassignmentStep} does the rest.
 *
 * <p>The moves under way follow from the map. All other state may be lost: loads, plan, limit on moves, manual moves. A new leader starts
 * again with one move at a time.
 *
 * <p>No move starts while a replica is missing or a server is being drained. Those changes take precedence, and they also change the loads.
 */
final class Rebalancer {
    private static final Logger LOG = LoggerFactory.getLogger(Rebalancer.class);

    /** Number of periods that a replica stays after a move, until the loads show its effect. */
    private static final int REST_PERIODS = 3;

    /** The reason to wait changes often during repairs, so only the start of the wait is logged. */
    private static final String WAITS = "waits: ";

    private final LeaderContext leader;
    private final TableReconciler reconciler;
    private final RebalanceSetup how;
    private final RebalanceConfig config;
    private final MoveConcurrency ramp;
    private final LoadAverages averages = new LoadAverages();
    private final List<ReplicaMove> plan = new ArrayList<>();
    private final TreeMap<ReplicaKey, Started> started = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> restsUntil = new TreeMap<>();
    private final TreeMap<ReplicaKey, Long> heldUntil = new TreeMap<>();
    private String state = "begins";
    private long surveyAt;
    private boolean judging;

    Rebalancer(LeaderContext leader, TableReconciler reconciler, RebalanceSetup how) {
        this.leader = leader;
        this.reconciler = reconciler;
        this.how = how;
        this.config = how.config();
        this.ramp = new MoveConcurrency(config.movesMax(), config.periodNanos());
        this.surveyAt = now() + config.periodNanos();
    }

    private long now() {
        return leader.env().clock().nanos();
    }

    /** Notes a manual move: the actor's replicas are not rebalanced for a while. */
    void movedByHand(ReplicaKey key) {
        heldUntil.put(key, now() + 1_000_000 * Limits.REBALANCE_BY_HAND_MS);
        plan.removeIf(move -> move.key().equals(key));
        started.remove(key);
    }

    /** Writes an operator's request for the replicas of one actor: its next state stands in {@code actors}. */
    void writeByHand(Table table, ReplicaKey key, List<ActorState> actors) {
        movedByHand(key);
        reconciler.write(table, actors, List.of());
    }

    /** Called at every tick of the coordinator, once the leader has read its state. */
    void tick() {
        if (!config.on()) {
            return;
        }
        long now = now();
        restsUntil.values().removeIf(until -> now - until >= 0);
        heldUntil.values().removeIf(until -> now - until >= 0);
        ClusterView view = leader.view();
        InProgressMoves under = InProgressMoves.of(leader.catalog().tables(), view);
        settle(now);
        if (under.trouble() != null) {
            plan.clear();
            tell(WAITS + under.trouble());
            return;
        }
        begin(under, now);
        if (!judging && now - surveyAt >= 0) {
            judging = true;
            surveyAt = now + config.periodNanos();
            LoadCollector.run(leader, this::surveyed);
        }
    }

    private void tell(String next) {
        boolean known = next.equals(state) || (next.startsWith(WAITS) && state.startsWith(WAITS));
        state = next;
        if (!known) {
            LOG.info("rebalancing {}", next);
        }
    }

    /** Records the results of moves that were started here. */
    private void settle(long now) {
        for (Iterator<Map.Entry<ReplicaKey, Started>> all = started.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<ReplicaKey, Started> entry = all.next();
            Table table = leader.catalog().find(entry.getKey().tableId());
            if (table == null) {
                all.remove();
            } else if (!table.busy && !table.stale && ended(table, entry.getKey(), entry.getValue(), now)) {
                all.remove();
            }
        }
    }

    private boolean ended(Table table, ReplicaKey key, Started one, long now) {
        ActorState actor = table.actor(key.actor());
        boolean wished = actor.desired().contains(one.move.to());
        if (wished && !actor.settled()) {
            one.seen = true;
            return false;
        }
        String name = table.meta.name() + "/" + key.actor();
        long millis = (now - one.since) / 1_000_000;
        rest(key, now);
        if (wished && !actor.desired().contains(one.move.from())) {
            ramp.succeeded();
            LOG.info("rebalancing: {}: moved to {} in {} ms", name, one.move.to(), millis);
        } else if (one.seen) {
            ramp.failed(now);
            plan.clear();
            LOG.warn("rebalancing: {}: move to {} failed after {} ms", name, one.move.to(), millis);
        }
        return true;
    }

    private void rest(ReplicaKey key, long now) {
        restsUntil.put(key, now + REST_PERIODS * config.periodNanos());
    }

    private void surveyed(List<Load> loads) {
        int live = leader.live().size();
        if (loads.size() < live) {
            judging = false;
            tell(WAITS + (live - loads.size()) + " of " + live + " servers have not reported their load");
            return;
        }
        averages.take(loads, key -> restsUntil.containsKey(key) || started.containsKey(key));
        LiveCluster cluster = LoadView.of(
                leader.usable(),
                leader.catalog().tables(),
                averages,
                loads,
                key -> !restsUntil.containsKey(key) && !heldUntil.containsKey(key));
        how.background()
                .run(() -> how.policy().moves(cluster), leader.registry().scoped(this::judged));
    }

    private void judged(Outcome<List<ReplicaMove>> outcome) {
        judging = false;
        plan.clear();
        if (outcome instanceof Outcome.Ok<List<ReplicaMove>> ok) {
            plan.addAll(ok.value().subList(0, Math.min(ok.value().size(), Limits.REBALANCE_PLAN_MOVES_MAX)));
            if (plan.isEmpty() && started.isEmpty()) {
                ramp.rest();
            }
            tell(plan.isEmpty() ? "sees nothing to move" : "has " + plan.size() + " replicas to move");
        } else if (outcome instanceof Outcome.Err<List<ReplicaMove>> err) {
            ramp.failed(now());
            tell("has no plan: " + err.error().getMessage());
        }
    }

    /** Starts moves of the plan within the limits. */
    private void begin(InProgressMoves under, long now) {
        int room = ramp.allowed(now) - under.moving().size();
        Map<Table, List<ReplicaMove>> chosen = new LinkedHashMap<>();
        for (Iterator<ReplicaMove> all = plan.iterator(); room > 0 && all.hasNext(); ) {
            ReplicaMove move = all.next();
            Table table = leader.catalog().find(move.key().tableId());
            if (table == null || !possible(table, move, now)) {
                all.remove();
            } else if (!table.busy
                    && !table.stale
                    && under.of(move.from()) < config.movesPerServerMax()
                    && under.of(move.to()) < config.movesPerServerMax()) {
                all.remove();
                chosen.computeIfAbsent(table, unused -> new ArrayList<>()).add(move);
                under.add(move.key(), wished(table.actor(move.key().actor()), move));
                room--;
            }
        }
        chosen.forEach((table, moves) -> write(table, moves, under.moving().size(), now));
    }

    private boolean possible(Table table, ReplicaMove move, long now) {
        if (move.key().actor() < 0
                || move.key().actor() >= table.map().actors().size()
                || heldUntil.containsKey(move.key())
                || restsUntil.containsKey(move.key())) {
            return false;
        }
        ActorState actor = table.actor(move.key().actor());
        return actor.settled()
                && actor.begun()
                && actor.fencing().isEmpty()
                && actor.desired().contains(move.from())
                && !actor.desired().contains(move.to())
                && !leader.replicas().backsOff(move.key(), move.to(), now)
                && leader.usable().stream()
                        .anyMatch(server ->
                                server.id().equals(move.to()) && ClusterView.offers(server, table.meta.port()));
    }

    private static ActorState wished(ActorState actor, ReplicaMove move) {
        return ActorStateBuilder.moving(actor, move.from(), move.to());
    }

    private void write(Table table, List<ReplicaMove> moves, int under, long now) {
        List<ActorState> actors = new ArrayList<>(table.map().actors());
        for (ReplicaMove move : moves) {
            int number = move.key().actor();
            actors.set(number, wished(actors.get(number), move));
            started.put(move.key(), new Started(move, now));
            LOG.info(
                    "rebalancing: {}/{} is to move from {} to {}: {}; {} under way, {} allowed, {} more to move",
                    table.meta.name(),
                    number,
                    move.from(),
                    move.to(),
                    move.why(),
                    under,
                    ramp.allowed(now),
                    plan.size());
        }
        reconciler.write(table, actors, List.of());
    }

    /** All current moves, automatic and manual. */
    AdminReply.Rebalance report() {
        InProgressMoves under = InProgressMoves.of(leader.catalog().tables(), leader.view());
        List<AdminReply.Moving> moves = new ArrayList<>();
        under.moving().forEach((key, actor) -> {
            Table table = leader.catalog().find(key.tableId());
            if (table != null && moves.size() < Limits.REBALANCE_PLAN_MOVES_MAX) {
                Started one = started.get(key);
                moves.add(new AdminReply.Moving(
                        table.meta.name(),
                        key.actor(),
                        InProgressMoves.sources(actor),
                        one == null ? InProgressMoves.targets(actor) : List.of(one.move.to()),
                        one == null ? "" : one.move.why()));
            }
        });
        String told = !config.on() ? "off" : ramp.paused(now()) ? state + "; paused after a failed move" : state;
        return new AdminReply.Rebalance(told, plan.size(), moves);
    }

    /** A move that this leader has started. */
    private static final class Started {
        final ReplicaMove move;
        final long since;

        /** The map has shown the move. */
        boolean seen;

        Started(ReplicaMove move, long since) {
            this.move = move;
            this.since = since;
        }
    }
}
