package io.uniserve.placement.policy.search;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Search for a balanced placement with minimum contention and few moves.
 *
 * <p>Every shard set first gets the lower bound of its contention as a limit. (1) Replicas that violate a limit are removed, as few as
 * possible. (2) Load flows along shared replicas. (3) Actors without a host are placed, hot ones first. (4) Each server out of its
 * tolerance gets the replica that helps most. (5) Unneeded replicas are removed. (6) Large neighbourhood search removes some new replicas
 * and repeats these steps, and keeps results that are not worse. (7) Only if limits could not be kept, or a server is still out of its
 * tolerance, contention is annealed, first alone, then with the new replicas. (8) If that ends above the bound, everything is repeated from
 * a construction in the order of the actors' numbers, and the better result is kept.
 */
public final class ParallelismSearch {
    /** Maximum rounds in which a placement is searched again from itself until it stays. */
    private static final int SETTLE_MAX = 4;

    /** Relative contention that is given up for fewer new replicas. */
    private static final double WORTH_LESS_MOVES = 1.001;

    private static final double NEAR = 1.15;
    private static final int SMALL_ACTORS = 128;
    private static final int MIDDLE = 10_000;
    private static final int LARGE_ACTORS = 2_500;

    /** Maximum shard sets times servers for which a construction takes milliseconds. */
    private static final int SWEPT_MAX = 1 << 20;

    private static final int SWEEPS = 16;
    private static final double SWEEP_NOISE = 1;

    /** A set with more than this part of the bound is not given up for balance if the construction has kept it. */
    private static final double SWEEP_STEP_MAX = 0.02;

    /** Weight of imbalance that a construction may leave to annealing: percent of contention per fair share of a server. */
    private static final double SWEEP_IMBALANCE = 50;

    /** Price of a new replica, in percent of contention. */
    private static final double ADD_PRICE = 0.02;

    private final SearchState state;
    private final int[] needed;
    private final long seed;
    private final double bound;
    private final SplittableRandom random;
    private final BooleanSupplier outOfTime;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final ZoneSpreadRule zones;
    private final GreedyInsertion greedyInsertion;
    private final RepairHeuristic repairHeuristic;
    private final ReplicaPruner replicaPruner;
    private double startContention;

    public ParallelismSearch(ClusterLoad in, long seed, BooleanSupplier outOfTime) {
        state = new SearchState(in);
        this.seed = seed;
        this.outOfTime = outOfTime;
        needed = PlacementLowerBounds.needed(in);
        for (int i = 0; i < needed.length; i++) {
            needed[i] = Math.min(needed[i], in.servers());
        }
        bound = PlacementLowerBounds.contention(in);
        random = new SplittableRandom(seed);
        augmentingPathBalancer = new AugmentingPathBalancer(state);
        zones = new ZoneSpreadRule(state);
        greedyInsertion = new GreedyInsertion(state, needed, random, zones);
        repairHeuristic = new RepairHeuristic(state, augmentingPathBalancer, greedyInsertion, random);
        replicaPruner = new ReplicaPruner(state, augmentingPathBalancer, greedyInsertion, needed, zones);
    }

    /**
     * Searches. It ends after steps 1 to 5 if it is out of time. A result that is given again as the current placement, with the same
     * cluster and seed, is returned unchanged.
     */
    public Assignment run() {
        return searchUntilStable(state.in, search(), seed, outOfTime);
    }

    /** Returns a placement, or the result of repeated searches from it until it stays. */
    public static Assignment searchUntilStable(
            ClusterLoad in, Assignment placed, long seed, BooleanSupplier outOfTime) {
        Assignment at = placed;
        for (int n = 0; n < SETTLE_MAX && !at.equals(in.current()); n++) {
            ClusterLoad next = in.toBuilder().current(at).build();
            Assignment after = new ParallelismSearch(next, seed, outOfTime).searchUntilStable();
            if (after.equals(at)) {
                return at;
            }
            at = after;
        }
        return at;
    }

    private Assignment searchUntilStable() {
        start();
        if (isAcceptable()) {
            return ProbeSearch.findBetter(state.in, state.sets.exactContention(), bound, seed);
        }
        if (!isStable()) {
            return search();
        }
        if (ProbeSearch.isStuck(state.in, seed)) {
            return state.in.current();
        }
        Assignment evener = ProbeSearch.findMoreEven(state.in, seed);
        return evener.equals(state.in.current()) ? search() : evener;
    }

    /** True if only balance is missing: the placement may be the best possible one. */
    private boolean isStable() {
        return isComplete() && zones.actorsInTooFewZones() == 0;
    }

    private Assignment search() {
        start();
        startContention = state.sets.exactContention();
        Assignment fallback = state.in.current();
        double most = startContention * (1 - ProbeSearch.WORTH_A_CHANGE);
        if (isAcceptable()) {
            fallback = ProbeSearch.findBetter(state.in, startContention, bound, seed);
            if (fallback.equals(state.in.current())) {
                return fallback;
            }
        } else if (isStable() && ProbeSearch.isStuck(state.in, seed)) {
            return fallback;
        }
        boolean complete = isComplete();
        int lacking = zones.actorsInTooFewZones();
        double imbalance = state.imbalance();
        boolean sweeping = state.actors > SMALL_ACTORS && (long) state.sets.sets * state.servers <= SWEPT_MAX;
        SearchStateSnapshot before = new SearchStateSnapshot(state);
        construct();
        improve(ruinSteps());
        if (losesLastReplica()) {
            return complete ? ProbeSearch.findMoreEven(state.in, seed) : fallback;
        }
        annealWhereNeeded(Double.POSITIVE_INFINITY);
        if (sweeping && isAbove(state.sets.exactContention(), bound * (1 + ProbeSearch.WORTH_A_CHANGE))) {
            sweep(before);
        }
        replicaPruner.trimAll();
        replicaPruner.dropIdle();
        state.commit();
        if (complete && zones.actorsInTooFewZones() != lacking) {
            return zones.actorsInTooFewZones() < lacking ? state.toAssignment() : fallback;
        }
        double hair = Math.max(state.epsilon, Math.max(1e-6 * state.in.mean(), 0.01 * imbalance));
        boolean evener = state.imbalance() < imbalance - hair;
        boolean better = state.imbalance() <= imbalance + state.epsilon && state.sets.exactContention() < most;
        if (complete && !evener && !better) {
            return fallback;
        }
        return state.toAssignment();
    }

    private static boolean isAbove(double contention, double target) {
        return contention > target * (1 + 1e-9);
    }

    /** True if the current placement is balanced, fits, and has the needed replicas. */
    private boolean isAcceptable() {
        for (int j = 0; j < state.servers; j++) {
            double slack = state.in.mean() * state.in.weight(j) * 1e-6;
            if (state.usedMemory[j] > state.capacity[j]
                    || state.serverLoad[j] > state.high[j] + slack
                    || state.serverLoad[j] < state.low[j] - slack) {
                return false;
            }
        }
        for (int i = 0; i < state.actors; i++) {
            if (state.hosts[i] < needed[i] || state.unplaced(i) > 1e-6 * Math.max(state.load[i], state.in.mean())) {
                return false;
            }
        }
        return zones.actorsInTooFewZones() == 0;
    }

    /** True if the current placement fits and has the requested replicas: it may stay if nothing better is found. */
    private boolean isComplete() {
        for (int j = 0; j < state.servers; j++) {
            if (state.usedMemory[j] > state.capacity[j]) {
                return false;
            }
        }
        for (int i = 0; i < state.actors; i++) {
            if (state.hosts[i] < Math.min(state.in.rf(), state.servers)) {
                return false;
            }
        }
        return true;
    }

    /** True if an actor would lose its last replica: memory is too tight for moves, so everything stays. */
    private boolean losesLastReplica() {
        for (int i = 0; i < state.actors; i++) {
            if (state.hosts[i] == 0 && state.in.current().replicas(i) > 0) {
                return true;
            }
        }
        return false;
    }

    private void start() {
        if (state.replicas == 0) {
            state.load(state.in.current());
        }
    }

    private void construct() {
        new ReplicaEvictor(state, needed).evictAll();
        separateZones();
        finish();
    }

    private void finish() {
        augmentingPathBalancer.balanceAll();
        double[] urgency = new double[state.actors];
        for (int i = 0; i < state.actors; i++) {
            urgency[i] = greedyInsertion.urgency(i);
        }
        for (int i : IndexSorter.descending(urgency)) {
            if (state.hosts[i] < needed[i] || state.unplaced(i) > state.epsilon) {
                greedyInsertion.place(i, 0);
            }
        }
        if (state.actors >= LARGE_ACTORS) {
            new LoadLeveler(state, needed).level();
        }
        repairHeuristic.repair(Integer.MAX_VALUE, 0);
        replicaPruner.trimAll();
        state.commit();
    }

    private void annealWhereNeeded(double stepMax) {
        if (isAbove(state.sets.exactContention(), bound) || state.imbalance() > state.epsilon) {
            anneal(stepMax);
        }
    }

    /**
     * Repeats the search from a construction in the order of the actors' numbers. A result at the bound is taken independent of its moves,
     * because contention comes first. Otherwise the better of both results is kept.
     */
    private void sweep(SearchStateSnapshot before) {
        SearchStateSnapshot first = new SearchStateSnapshot(state);
        double price = price();
        SearchStateSnapshot best = first;
        double least = Double.POSITIVE_INFINITY;
        for (int n = 0; n < SWEEPS && !outOfTime.getAsBoolean(); n++) {
            before.restore(state);
            limitSets(0);
            new SequentialPlacer(state, needed, random, zones).place(n == 0 ? 0 : SWEEP_NOISE);
            finish();
            if (unbalancedPrice() < least) {
                least = unbalancedPrice();
                best = new SearchStateSnapshot(state);
            }
        }
        best.restore(state);
        limitSets(1);
        if (state.imbalance() <= state.epsilon) {
            improve(ruinSteps());
        }
        annealWhereNeeded(SWEEP_STEP_MAX * bound);
        boolean reached = !isAbove(state.sets.exactContention(), bound) && price() < Double.POSITIVE_INFINITY;
        if (!reached && price() >= price) {
            first.restore(state);
        }
    }

    /** Returns the contention above its bound in percent, plus the price of new replicas; infinite with an imbalance. */
    private double price() {
        boolean whole = state.actorsWithoutHost == 0 && state.imbalance() <= state.epsilon;
        return whole ? excess() + ADD_PRICE * state.adds : Double.POSITIVE_INFINITY;
    }

    /** Returns the same for a placement that is still to be balanced. */
    private double unbalancedPrice() {
        double uneven = state.imbalance() / Math.max(state.in.mean(), Double.MIN_NORMAL);
        return 1e3 * state.actorsWithoutHost + excess() + ADD_PRICE * state.adds + SWEEP_IMBALANCE * uneven;
    }

    private double excess() {
        return 100 * (state.sets.exactContention() / bound - 1);
    }

    /** Sets the limits of sets to their bounds, or to their current counts if these are larger and {@code counts} is 1. */
    private void limitSets(int counts) {
        for (int set = 0; set < state.sets.sets; set++) {
            state.setLimit(set, Math.max(state.sets.bound[set], counts * state.sets.largest(set)));
        }
    }

    /** Places replicas again that share a zone while another zone has none. */
    private void separateZones() {
        for (int i = 0; i < state.actors && zones.isActive(); i++) {
            int twin = zones.redundantReplica(i);
            for (int n = zones.missingZones(i); n > 0 && twin >= 0 && state.hosts[i] <= needed[i]; n--) {
                state.drop(i, twin);
                twin = zones.redundantReplica(i);
            }
        }
    }

    private int ruinSteps() {
        int most = state.actors <= SMALL_ACTORS ? 3_000 : 20_000;
        int work = state.actors <= 2_000 ? 12_000_000 : 30_000_000;
        return Math.max(1_500, Math.min(most, work / Math.max(1, state.actors)));
    }

    private void improve(int steps) {
        if (state.servers < 2 || state.actors == 0) {
            return;
        }
        LargeNeighbourhoodSearch lnsDestroy =
                new LargeNeighbourhoodSearch(state, greedyInsertion, repairHeuristic, replicaPruner, random, zones);
        for (int n = 0; n < steps; n++) {
            if (n % 64 == 0 && outOfTime.getAsBoolean()) {
                break;
            }
            lnsDestroy.step();
            if (n % 256 == 0) {
                state.commit();
            }
        }
        state.commit();
    }

    private void anneal(double stepMax) {
        if (state.servers < 2 || state.actors == 0) {
            return;
        }
        Annealer annealer = new Annealer(state, augmentingPathBalancer, needed, random);
        annealer.limitStep(stepMax);
        if (state.sets.sets == 0) {
            annealer.run(400_000, 1, 0.05, 1, 0, outOfTime);
            if (state.imbalance() > state.epsilon) {
                annealer.run(1_000_000, 10, 0.05, 1, 0, outOfTime);
            }
            repairAfterAnnealing();
            return;
        }
        boolean middle = (long) state.actors * state.servers <= MIDDLE;
        // A short run first: if the time ends during the long one, there is a complete result, if a worse one.
        if (state.actors <= SMALL_ACTORS) {
            // From a placement that is close, a cooler start keeps most of it in place.
            boolean near = !isAbove(startContention, bound * NEAR);
            double price = near ? 0.06 : 0.02;
            annealer.run(150_000, near ? 0.5 : 1.5, 0.03, price, 0, outOfTime);
            annealer.run(9_000_000, near ? 1.2 : 2, 0.02, price, 0, outOfTime);
        } else {
            annealer.run(60_000, 0.2, 0.02, ADD_PRICE, 0, outOfTime);
            annealer.run(middle ? 1_200_000 : 250_000, 0.3, 0.01, ADD_PRICE, 0, outOfTime);
        }
        int last = state.actors <= SMALL_ACTORS ? 4_000_000 : middle ? 600_000 : 150_000;
        double target = state.sets.exactContention() * WORTH_LESS_MOVES;
        annealer.run(last, 1, 0.1, 1, target, outOfTime);
        repairAfterAnnealing();
    }

    /** Repairs the imbalance that annealing left: first within the contention reached, then at the least additional cost. */
    private void repairAfterAnnealing() {
        for (int more = 0; more < 3 && state.imbalance() > state.epsilon; more++) {
            for (int set = 0; set < state.sets.sets; set++) {
                state.setLimit(set, state.sets.largest(set) + more);
            }
            repairHeuristic.repair(Integer.MAX_VALUE, 0);
        }
        state.commit();
    }
}
