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

    private final SearchState s;
    private final int[] needed;
    private final long seed;
    private final double bound;
    private final SplittableRandom random;
    private final BooleanSupplier outOfTime;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final ZoneRule zones;
    private final GreedyInsertion greedyInsertion;
    private final RepairHeuristic repairHeuristic;
    private final ReplicaPruner replicaPruner;
    private double startContention;

    public ParallelismSearch(ClusterLoad in, long seed, BooleanSupplier outOfTime) {
        s = new SearchState(in);
        this.seed = seed;
        this.outOfTime = outOfTime;
        needed = LowerBounds.needed(in);
        for (int i = 0; i < needed.length; i++) {
            needed[i] = Math.min(needed[i], in.servers());
        }
        bound = LowerBounds.contention(in);
        random = new SplittableRandom(seed);
        augmentingPathBalancer = new AugmentingPathBalancer(s);
        zones = new ZoneRule(s);
        greedyInsertion = new GreedyInsertion(s, needed, random, zones);
        repairHeuristic = new RepairHeuristic(s, augmentingPathBalancer, greedyInsertion, random);
        replicaPruner = new ReplicaPruner(s, augmentingPathBalancer, greedyInsertion, needed, zones);
    }

    /**
     * Searches. It ends after steps 1 to 5 if it is out of time. A result that is given again as the current placement, with the same
     * cluster and seed, is returned unchanged.
     */
    public Assignment run() {
        return settle(s.in, search(), seed, outOfTime);
    }

    /** Returns a placement, or the result of repeated searches from it until it stays. */
    public static Assignment settle(ClusterLoad in, Assignment placed, long seed, BooleanSupplier outOfTime) {
        Assignment at = placed;
        for (int n = 0; n < SETTLE_MAX && !at.equals(in.current()); n++) {
            ClusterLoad next = in.toBuilder().current(at).build();
            Assignment after = new ParallelismSearch(next, seed, outOfTime).settle();
            if (after.equals(at)) {
                return at;
            }
            at = after;
        }
        return at;
    }

    private Assignment settle() {
        start();
        if (acceptable()) {
            return ProbeSearch.findBetter(s.in, s.sets.exactContention(), bound, seed);
        }
        if (!isStable()) {
            return search();
        }
        if (ProbeSearch.isStuck(s.in, seed)) {
            return s.in.current();
        }
        Assignment evener = ProbeSearch.findMoreEven(s.in, seed);
        return evener.equals(s.in.current()) ? search() : evener;
    }

    /** True if only balance is missing: the placement may be the best possible one. */
    private boolean isStable() {
        return complete() && zones.actorsInTooFewZones() == 0;
    }

    private Assignment search() {
        start();
        startContention = s.sets.exactContention();
        Assignment fallback = s.in.current();
        double most = startContention * (1 - ProbeSearch.WORTH_A_CHANGE);
        if (acceptable()) {
            fallback = ProbeSearch.findBetter(s.in, startContention, bound, seed);
            if (fallback.equals(s.in.current())) {
                return fallback;
            }
        } else if (isStable() && ProbeSearch.isStuck(s.in, seed)) {
            return fallback;
        }
        boolean complete = complete();
        int lacking = zones.actorsInTooFewZones();
        double imbalance = s.imbalance();
        boolean sweeping = s.actors > SMALL_ACTORS && (long) s.sets.sets * s.servers <= SWEPT_MAX;
        SearchStateSnapshot before = new SearchStateSnapshot(s);
        construct();
        improve(ruinSteps());
        if (losesLastReplica()) {
            return complete ? ProbeSearch.findMoreEven(s.in, seed) : fallback;
        }
        annealWhereNeeded(Double.POSITIVE_INFINITY);
        if (sweeping && above(s.sets.exactContention(), bound * (1 + ProbeSearch.WORTH_A_CHANGE))) {
            sweep(before);
        }
        replicaPruner.trimAll();
        replicaPruner.dropIdle();
        s.commit();
        if (complete && zones.actorsInTooFewZones() != lacking) {
            return zones.actorsInTooFewZones() < lacking ? s.toAssignment() : fallback;
        }
        double hair = Math.max(s.epsilon, Math.max(1e-6 * s.in.mean(), 0.01 * imbalance));
        boolean evener = s.imbalance() < imbalance - hair;
        boolean better = s.imbalance() <= imbalance + s.epsilon && s.sets.exactContention() < most;
        if (complete && !evener && !better) {
            return fallback;
        }
        return s.toAssignment();
    }

    private static boolean above(double contention, double target) {
        return contention > target * (1 + 1e-9);
    }

    /** True if the current placement is balanced, fits, and has the needed replicas. */
    private boolean acceptable() {
        for (int j = 0; j < s.servers; j++) {
            double slack = s.in.mean() * s.in.weight(j) * 1e-6;
            if (s.usedMemory[j] > s.capacity[j]
                    || s.serverLoad[j] > s.high[j] + slack
                    || s.serverLoad[j] < s.low[j] - slack) {
                return false;
            }
        }
        for (int i = 0; i < s.actors; i++) {
            if (s.hosts[i] < needed[i] || s.unplaced(i) > 1e-6 * Math.max(s.load[i], s.in.mean())) {
                return false;
            }
        }
        return zones.actorsInTooFewZones() == 0;
    }

    /** True if the current placement fits and has the requested replicas: it may stay if nothing better is found. */
    private boolean complete() {
        for (int j = 0; j < s.servers; j++) {
            if (s.usedMemory[j] > s.capacity[j]) {
                return false;
            }
        }
        for (int i = 0; i < s.actors; i++) {
            if (s.hosts[i] < Math.min(s.in.rf(), s.servers)) {
                return false;
            }
        }
        return true;
    }

    /** True if an actor would lose its last replica: memory is too tight for moves, so everything stays. */
    private boolean losesLastReplica() {
        for (int i = 0; i < s.actors; i++) {
            if (s.hosts[i] == 0 && s.in.current().replicas(i) > 0) {
                return true;
            }
        }
        return false;
    }

    private void start() {
        if (s.replicas == 0) {
            s.load(s.in.current());
        }
    }

    private void construct() {
        new Evictor(s, needed).evictAll();
        separateZones();
        finish();
    }

    private void finish() {
        augmentingPathBalancer.balanceAll();
        double[] urgency = new double[s.actors];
        for (int i = 0; i < s.actors; i++) {
            urgency[i] = greedyInsertion.urgency(i);
        }
        for (int i : IndexSorter.descending(urgency)) {
            if (s.hosts[i] < needed[i] || s.unplaced(i) > s.epsilon) {
                greedyInsertion.place(i, 0);
            }
        }
        if (s.actors >= LARGE_ACTORS) {
            new LoadLeveler(s, needed).level();
        }
        repairHeuristic.repair(Integer.MAX_VALUE, 0);
        replicaPruner.trimAll();
        s.commit();
    }

    private void annealWhereNeeded(double stepMax) {
        if (above(s.sets.exactContention(), bound) || s.imbalance() > s.epsilon) {
            anneal(stepMax);
        }
    }

    /**
     * Repeats the search from a construction in the order of the actors' numbers. A result at the bound is taken independent of its moves,
     * because contention comes first. Otherwise the better of both results is kept.
     */
    private void sweep(SearchStateSnapshot before) {
        SearchStateSnapshot first = new SearchStateSnapshot(s);
        double price = price();
        SearchStateSnapshot best = first;
        double least = Double.POSITIVE_INFINITY;
        for (int n = 0; n < SWEEPS && !outOfTime.getAsBoolean(); n++) {
            before.restore(s);
            limit(0);
            new SequentialPlacer(s, needed, random, zones).place(n == 0 ? 0 : SWEEP_NOISE);
            finish();
            if (promise() < least) {
                least = promise();
                best = new SearchStateSnapshot(s);
            }
        }
        best.restore(s);
        limit(1);
        if (s.imbalance() <= s.epsilon) {
            improve(ruinSteps());
        }
        annealWhereNeeded(SWEEP_STEP_MAX * bound);
        boolean reached = !above(s.sets.exactContention(), bound) && price() < Double.POSITIVE_INFINITY;
        if (!reached && price() >= price) {
            first.restore(s);
        }
    }

    /** Returns the contention above its bound in percent, plus the price of new replicas; infinite with an imbalance. */
    private double price() {
        boolean whole = s.actorsWithoutHost == 0 && s.imbalance() <= s.epsilon;
        return whole ? excess() + ADD_PRICE * s.adds : Double.POSITIVE_INFINITY;
    }

    /** Returns the same for a placement that is still to be balanced. */
    private double promise() {
        double uneven = s.imbalance() / Math.max(s.in.mean(), Double.MIN_NORMAL);
        return 1e3 * s.actorsWithoutHost + excess() + ADD_PRICE * s.adds + SWEEP_IMBALANCE * uneven;
    }

    private double excess() {
        return 100 * (s.sets.exactContention() / bound - 1);
    }

    /** Sets the limits of sets to their bounds, or to their current counts if these are larger and {@code counts} is 1. */
    private void limit(int counts) {
        for (int set = 0; set < s.sets.sets; set++) {
            s.setLimit(set, Math.max(s.sets.bound[set], counts * s.sets.largest(set)));
        }
    }

    /** Places replicas again that share a zone while another zone has none. */
    private void separateZones() {
        for (int i = 0; i < s.actors && zones.isActive(); i++) {
            int twin = zones.redundantReplica(i);
            for (int n = zones.missingZones(i); n > 0 && twin >= 0 && s.hosts[i] <= needed[i]; n--) {
                s.drop(i, twin);
                twin = zones.redundantReplica(i);
            }
        }
    }

    private int ruinSteps() {
        int most = s.actors <= SMALL_ACTORS ? 3_000 : 20_000;
        int work = s.actors <= 2_000 ? 12_000_000 : 30_000_000;
        return Math.max(1_500, Math.min(most, work / Math.max(1, s.actors)));
    }

    private void improve(int steps) {
        if (s.servers < 2 || s.actors == 0) {
            return;
        }
        LargeNeighbourhoodSearch lnsDestroy =
                new LargeNeighbourhoodSearch(s, greedyInsertion, repairHeuristic, replicaPruner, random, zones);
        for (int n = 0; n < steps; n++) {
            if (n % 64 == 0 && outOfTime.getAsBoolean()) {
                break;
            }
            lnsDestroy.step();
            if (n % 256 == 0) {
                s.commit();
            }
        }
        s.commit();
    }

    private void anneal(double stepMax) {
        if (s.servers < 2 || s.actors == 0) {
            return;
        }
        Annealer annealer = new Annealer(s, augmentingPathBalancer, needed, random);
        annealer.limitStep(stepMax);
        if (s.sets.sets == 0) {
            annealer.run(400_000, 1, 0.05, 1, 0, outOfTime);
            if (s.imbalance() > s.epsilon) {
                annealer.run(1_000_000, 10, 0.05, 1, 0, outOfTime);
            }
            mendBeside();
            return;
        }
        boolean middle = (long) s.actors * s.servers <= MIDDLE;
        // A short run first: if the time ends during the long one, there is a complete result, if a worse one.
        if (s.actors <= SMALL_ACTORS) {
            // From a placement that is close, a cooler start keeps most of it in place.
            boolean near = !above(startContention, bound * NEAR);
            double price = near ? 0.06 : 0.02;
            annealer.run(150_000, near ? 0.5 : 1.5, 0.03, price, 0, outOfTime);
            annealer.run(9_000_000, near ? 1.2 : 2, 0.02, price, 0, outOfTime);
        } else {
            annealer.run(60_000, 0.2, 0.02, ADD_PRICE, 0, outOfTime);
            annealer.run(middle ? 1_200_000 : 250_000, 0.3, 0.01, ADD_PRICE, 0, outOfTime);
        }
        int last = s.actors <= SMALL_ACTORS ? 4_000_000 : middle ? 600_000 : 150_000;
        double target = s.sets.exactContention() * WORTH_LESS_MOVES;
        annealer.run(last, 1, 0.1, 1, target, outOfTime);
        mendBeside();
    }

    /** Repairs the imbalance that annealing left: first within the contention reached, then at the least additional cost. */
    private void mendBeside() {
        for (int more = 0; more < 3 && s.imbalance() > s.epsilon; more++) {
            for (int set = 0; set < s.sets.sets; set++) {
                s.setLimit(set, s.sets.largest(set) + more);
            }
            repairHeuristic.repair(Integer.MAX_VALUE, 0);
        }
        s.commit();
    }
}
