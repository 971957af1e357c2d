package io.uniserve.balance.policy.search;

import io.uniserve.balance.model.Assignment;
import io.uniserve.balance.model.ClusterLoad;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * The search for a balanced placement of least contention and few moves.
 *
 * <p>Every shard set first gets the lower bound of its contention as a limit. (1) Replicas that break a limit leave, so few as
 * possible; (2) load flows along shared replicas; (3) actors without a host are placed, hot ones first; (4) each server out of
 * its tolerance gets the replica that helps most; (5) replicas that are not needed go. (6) Large neighbourhood search takes
 * some of the new replicas back and does it again, keeping what is not worse. (7) Only where limits could not be kept, or a
 * server is still out of its tolerance, contention is annealed, first by itself, then with the new replicas.
 */
public final class ParallelismSearch {
    private static final double WORTH_A_CHANGE = 0.01;
    /** Contention given up for fewer new replicas. */
    private static final double WORTH_LESS_MOVES = 1.001;

    private static final double NEAR = 1.15;
    private static final int SMALL_ACTORS = 128;

    private final SearchState s;
    private final int[] needed;
    private final double bound;
    private final SplittableRandom random;
    private final BooleanSupplier outOfTime;
    private final Flows flows;
    private final Placer placer;
    private final Mender mender;
    private final Trimmer trimmer;
    private double startContention;

    public ParallelismSearch(ClusterLoad in, long seed, BooleanSupplier outOfTime) {
        s = new SearchState(in);
        this.outOfTime = outOfTime;
        needed = LowerBounds.needed(in);
        for (int i = 0; i < needed.length; i++) {
            needed[i] = Math.min(needed[i], in.servers());
        }
        bound = LowerBounds.contention(in);
        random = new SplittableRandom(seed);
        flows = new Flows(s);
        placer = new Placer(s, needed, random);
        mender = new Mender(s, flows, placer, random);
        trimmer = new Trimmer(s, flows, placer, needed);
    }

    /** Searches; ends early when out of time, after the steps 1 to 5. */
    public Assignment run() {
        start();
        boolean good = acceptable();
        double before = s.sets.exactContention();
        startContention = before;
        if (good && !above(before, bound)) {
            return s.in.current();
        }
        boolean complete = complete();
        double imbalance = s.imbalance();
        construct();
        improve(ruinSteps());
        if (above(s.sets.exactContention(), bound) || s.imbalance() > s.tiny) {
            anneal();
        }
        trimmer.trimAll();
        trimmer.dropIdle();
        s.commit();
        if (losesLastReplica()) {
            return s.in.current();
        }
        boolean evener = s.imbalance() < imbalance - Math.max(s.tiny, 1e-6 * s.in.mean());
        if (complete && !evener && s.sets.exactContention() >= before * (1 - WORTH_A_CHANGE)) {
            return s.in.current();
        }
        return s.toAssignment();
    }

    private static boolean above(double contention, double target) {
        return contention > target * (1 + 1e-9);
    }

    /** What is there now is balanced, fits, and has the replicas it needs. */
    private boolean acceptable() {
        for (int j = 0; j < s.servers; j++) {
            double slack = s.in.mean() * s.in.weight(j) * 1e-6;
            if (s.used[j] > s.capacity[j]
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
        return true;
    }

    /** What is there now fits, and everybody has the replicas that are asked for: it may stay where nothing better is found. */
    private boolean complete() {
        for (int j = 0; j < s.servers; j++) {
            if (s.used[j] > s.capacity[j]) {
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

    /** Where memory is too tight for anything to move, everything stays. */
    private boolean losesLastReplica() {
        for (int i = 0; i < s.actors; i++) {
            if (s.hosts[i] == 0 && s.in.current().replicas(i) > 0) {
                return true;
            }
        }
        return false;
    }

    private void start() {
        Assignment current = s.in.current();
        for (int i = 0; i < s.actors; i++) {
            for (int p = 0; p < current.replicas(i); p++) {
                s.add(i, current.server(i, p));
                s.setFlow(i, current.server(i, p), s.load[i] * current.share(i, p));
            }
        }
        s.commit();
    }

    private void construct() {
        new Evictor(s, needed).evictAll();
        flows.balanceAll();
        double[] urgency = new double[s.actors];
        for (int i = 0; i < s.actors; i++) {
            urgency[i] = placer.urgency(i);
        }
        for (int i : Order.descending(urgency)) {
            if (s.hosts[i] < needed[i] || s.unplaced(i) > s.tiny) {
                placer.place(i, 0);
            }
        }
        mender.mend(Integer.MAX_VALUE, 0);
        trimmer.trimAll();
        s.commit();
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
        Ruin ruin = new Ruin(s, placer, mender, trimmer, random);
        for (int n = 0; n < steps; n++) {
            if (n % 64 == 0 && outOfTime.getAsBoolean()) {
                break;
            }
            ruin.step();
            if (n % 256 == 0) {
                s.commit();
            }
        }
        s.commit();
    }

    private void anneal() {
        if (s.servers < 2 || s.actors == 0) {
            return;
        }
        Annealer annealer = new Annealer(s, flows, needed, random);
        // A short run first: what is left when the time ends during the long one is then a whole result, if a lesser
        // one.
        if (s.actors <= SMALL_ACTORS) {
            // From a placement that is not far off, a cooler start keeps most of it where it is.
            boolean near = !above(startContention, bound * NEAR);
            double price = near ? 0.05 : 0.02;
            annealer.run(150_000, near ? 0.5 : 1.5, 0.03, price, 0, outOfTime);
            annealer.run(2_400_000, near ? 0.7 : 2, 0.02, price, 0, outOfTime);
        } else {
            annealer.run(60_000, 0.2, 0.02, 0.02, 0, outOfTime);
            annealer.run(250_000, 0.3, 0.01, 0.02, 0, outOfTime);
        }
        double target = s.sets.exactContention() * WORTH_LESS_MOVES;
        annealer.run(s.actors <= SMALL_ACTORS ? 2_400_000 : 150_000, 1, 0.1, 1, target, outOfTime);
        mendBeside();
    }

    /** What annealing left out of balance is mended, first within the contention reached, then at the least cost beyond it. */
    private void mendBeside() {
        for (int more = 0; more < 3 && s.imbalance() > s.tiny; more++) {
            for (int set = 0; set < s.sets.sets; set++) {
                s.setLimit(set, s.sets.largest(set) + more);
            }
            mender.mend(Integer.MAX_VALUE, 0);
        }
        s.commit();
    }
}
