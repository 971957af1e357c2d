package io.uniserve.placement.live;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.Server;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.check.PlacementChecker;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.ConstraintCatalog;
import io.uniserve.placement.live.LiveClusterAdapter.Unit;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Rebalance policy that requests placements for a running cluster from a placement policy, and returns the moves, hottest first. It drops
 * moves that would put two replicas of an actor on one server or in one zone, or that need an engine that the server lacks. It keeps one
 * move per actor. It never adds replicas: of several places proposed for one, it takes the one with the largest share.
 *
 * <p>It returns no moves if the remaining ones are not worth their cost. They must bring a server that is out of its tolerance closer to
 * its fair share, or save a tenth of the contention.
 */
public final class PolicyMoves implements RebalancePolicy {
    private static final double CONTENTION_GAIN = 0.1;
    private static final double EVENNESS_GAIN = 0.01;

    private final BalancePolicy policy;
    private final double tolerance;
    private final int movesMax;
    private final PolicyRunner runner;
    private final Supplier<SearchBudget> effort;

    /**
     * Creates the moves of a policy.
     *
     * @param tolerance part of its fair share by which a server's load may differ
     * @param movesMax maximum moves of one answer
     * @param hangMs time limit of the policy in milliseconds; 0 for none
     * @param effort search budget of each call
     */
    public PolicyMoves(
            BalancePolicy policy, double tolerance, int movesMax, long hangMs, Supplier<SearchBudget> effort) {
        this.policy = policy;
        this.tolerance = tolerance;
        this.movesMax = movesMax;
        this.effort = effort;
        this.runner = new PolicyRunner(ConstraintCatalog.standard(), hangMs);
    }

    @Override
    public List<ReplicaMove> moves(LiveCluster cluster) {
        LiveClusterAdapter live = new LiveClusterAdapter(cluster);
        if (live.units().isEmpty() || cluster.servers().size() < 2) {
            return List.of();
        }
        ClusterLoad load = live.load(tolerance);
        PlacementResult result = runner.run(policy, load, effort.get());
        if (!result.isTaken()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "the policy's placement was refused: " + String.join("; ", result.reasons()));
        }
        return new Selection(cluster, live, load).select(result.assignment());
    }

    /** Selection of those changes of a proposal that are moves of single replicas. */
    private final class Selection {
        private final LiveCluster cluster;
        private final List<Unit> units;
        private final ClusterLoad load;
        private final int[] servers;
        private final Set<ReplicaKey> moved = new TreeSet<>();

        Selection(LiveCluster cluster, LiveClusterAdapter live, ClusterLoad load) {
            this.cluster = cluster;
            this.units = live.units();
            this.load = load;
            servers = units.stream().mapToInt(Unit::server).toArray();
        }

        List<ReplicaMove> select(Assignment proposed) {
            List<Integer> hottest = new ArrayList<>();
            for (int unit = 0; unit < units.size(); unit++) {
                hottest.add(unit);
            }
            hottest.sort(Comparator.comparingDouble(
                            (Integer unit) -> -units.get(unit).load())
                    .thenComparingInt(unit -> unit));
            List<Integer> chosen = new ArrayList<>();
            for (int unit : hottest) {
                int to = target(unit, proposed);
                if (chosen.size() < movesMax && to != servers[unit] && mayMove(units.get(unit), to)) {
                    servers[unit] = to;
                    moved.add(units.get(unit).actor().key());
                    chosen.add(unit);
                }
            }
            PlacementProperties before = PlacementChecker.check(load, load.current());
            PlacementProperties after = PlacementChecker.check(load, Assignment.single(servers.clone()));
            return isWorthMoving(before, after) ? toMoves(chosen, before, after) : List.of();
        }

        private int target(int unit, Assignment proposed) {
            int best = servers[unit];
            double most = -1;
            for (int i = 0; i < proposed.replicas(unit); i++) {
                if (proposed.server(unit, i) == servers[unit]) {
                    return servers[unit];
                }
                if (proposed.share(unit, i) > most) {
                    most = proposed.share(unit, i);
                    best = proposed.server(unit, i);
                }
            }
            return best;
        }

        private boolean mayMove(Unit unit, int to) {
            Actor actor = unit.actor();
            Server target = cluster.servers().get(to);
            return actor.movable()
                    && !moved.contains(actor.key())
                    && !actor.hosts().contains(target.id())
                    && target.ports().contains(actor.port())
                    && zones(actor, unit.host(), target.id()) >= zones(actor, unit.host(), unit.host());
        }

        private long zones(Actor actor, ServerId from, ServerId instead) {
            return cluster.servers().stream()
                    .filter(server -> server.id().equals(instead)
                            || (actor.hosts().contains(server.id())
                                    && !server.id().equals(from)))
                    .map(Server::zone)
                    .distinct()
                    .count();
        }

        private boolean isWorthMoving(PlacementProperties before, PlacementProperties after) {
            boolean evener = after.outsideTolerance() < before.outsideTolerance() - EVENNESS_GAIN;
            boolean aside = after.contention() <= before.contention() * (1 - CONTENTION_GAIN)
                    && after.outsideTolerance() <= before.outsideTolerance() + EVENNESS_GAIN;
            return evener || aside;
        }

        private List<ReplicaMove> toMoves(List<Integer> chosen, PlacementProperties before, PlacementProperties after) {
            String why = String.format(
                    Locale.ROOT,
                    "part of a plan that brings the servers to %.0f%% to %.0f%% of their fair share, now %.0f%% to %.0f%%",
                    100 * after.leastLoad(),
                    100 * after.largestLoad(),
                    100 * before.leastLoad(),
                    100 * before.largestLoad());
            return chosen.stream()
                    .map(unit -> new ReplicaMove(
                            units.get(unit).actor().key(),
                            units.get(unit).host(),
                            cluster.servers().get(servers[unit]).id(),
                            why))
                    .toList();
        }
    }
}
