package io.uniserve.placement.policy.search;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Simulated annealing over contention, balance and new replicas together, for clusters in which not all shard sets can reach their lower
 * bound. It ignores the limits of sets.
 *
 * <p>Costs are in percent of the contention's lower bound. Steps: a replica moves to another server; two replicas change places; an actor
 * gets or loses a replica; load moves between replicas.
 */
final class Annealer {
    private static final int BATCH = 512;

    /** Rounding error of quick answers, relative to the sum of all frequencies. */
    private static final double ROUNDING = 1e-10;

    private static final double BALANCE_EARLY = 50;
    private static final double BALANCE_LATE = 400;

    /** Penalty for any imbalance, as a part of the mean load, so that small imbalances do not remain. */
    private static final double UNBALANCED = 0.01;

    /** Weight of contention above a target, relative to new replicas. */
    private static final double ABOVE_TARGET = 20;

    private final SearchState s;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final int[] needed;
    private final SplittableRandom random;
    private final ContentionDeltaEvaluator deltas;
    private final ZoneRule zones;
    private final double unit;
    private final double hair;
    private final double mean;

    /** Maximum increase of the contention per step. */
    private double stepMax = Double.POSITIVE_INFINITY;

    private double addPrice;
    private double contentionMax;
    private double balancePrice;

    /** Effect on the contention of the change that is tried. */
    private double delta;

    private final int[] pendingActor = new int[4];
    private final int[] pendingServer = new int[4];
    private final boolean[] pendingAdd = new boolean[4];
    private int pending;

    Annealer(SearchState s, AugmentingPathBalancer augmentingPathBalancer, int[] needed, SplittableRandom random) {
        this.s = s;
        zones = new ZoneRule(s);
        this.augmentingPathBalancer = augmentingPathBalancer;
        this.needed = needed;
        this.random = random;
        deltas = new ContentionDeltaEvaluator(s);
        double bound = LowerBounds.contention(s.in);
        // Without sets there is no contention; a division by zero would give NaN.
        unit = bound > 0 ? 100 / Math.max(bound, 1e-290) : 0;
        hair = ROUNDING * Arrays.stream(s.sets.frequency).sum();
        mean = Math.max(s.in.mean(), Double.MIN_NORMAL);
    }

    /** Limits the increase of the contention per later step: a popular set at its bound is not given up for balance. */
    void limitStep(double most) {
        stepMax = most;
    }

    /**
     * Anneals. Afterwards the state is the best placement that was found.
     *
     * @param price of a new replica, in percent of contention
     * @param target contention that is good enough; only contention above it counts
     */
    void run(int steps, double hot, double cold, double price, double target, BooleanSupplier outOfTime) {
        addPrice = price;
        contentionMax = target;
        deltas.refresh();
        SearchStateSnapshot best = new SearchStateSnapshot(s);
        balancePrice = BALANCE_LATE;
        double bestCost = cost();
        double cooling = Math.pow(cold / hot, (double) BATCH / steps);
        double heat = hot;
        for (int done = 0; done < steps && !outOfTime.getAsBoolean(); done += BATCH) {
            double part = Math.min(1, 1.25 * done / steps);
            balancePrice = BALANCE_EARLY * Math.pow(BALANCE_LATE / BALANCE_EARLY, part);
            batch(heat);
            heat *= cooling;
            s.commit();
            balancePrice = BALANCE_LATE;
            double now = cost();
            if (now < bestCost - 1e-9) {
                bestCost = now;
                best = new SearchStateSnapshot(s);
            }
        }
        balancePrice = BALANCE_LATE;
        if (cost() > bestCost) {
            best.restore(s);
        }
    }

    private void batch(double heat) {
        double now = cost();
        for (int n = 0; n < BATCH; n++) {
            int mark = s.savepoint();
            double most = now - heat * Math.log(1 - random.nextDouble());
            pending = 0;
            s.counting = false;
            boolean changed = move(most);
            double after = changed ? rough(delta, 0) + unevenness() : Double.POSITIVE_INFINITY;
            if (after > most) {
                s.rollback(mark);
                s.counting = true;
            } else {
                s.counting = true;
                count();
                now = after;
                s.journal.clear();
            }
        }
    }

    /** Updates the counts of the changed sets. */
    private void count() {
        for (int n = 0; n < pending; n++) {
            if (pendingAdd[n]) {
                deltas.count(pendingActor[n], pendingServer[n]);
            } else {
                deltas.uncount(pendingActor[n], pendingServer[n]);
            }
        }
    }

    private void pend(int actor, int server, boolean add) {
        pendingActor[pending] = actor;
        pendingServer[pending] = server;
        pendingAdd[pending++] = add;
    }

    double cost() {
        return rough(0, 0) + unevenness();
    }

    private double unevenness() {
        double out = s.imbalance();
        return out > 0 ? balancePrice * (UNBALANCED + out / mean) : 0;
    }

    /** Returns the cost without balance, after a change of contention and new replicas. */
    private double rough(double more, int adds) {
        double k = s.sets.contention() + more;
        double counted = contentionMax > 0 ? ABOVE_TARGET * Math.max(0, k - contentionMax) : k;
        return unit * counted + addPrice * (s.adds + adds) + 0.05 * addPrice * s.replicas;
    }

    private int news(int actor, int server) {
        return s.isOnInitially(actor, server) ? 0 : 1;
    }

    /** Tries a change. Returns false if it is impossible or costs more than the maximum. */
    private boolean move(double most) {
        int kind = random.nextInt(20);
        int i = random.nextInt(s.actors);
        if (s.hosts[i] == 0) {
            return false;
        }
        if (kind < 9) {
            return relocate(i, random.nextInt(s.servers), most);
        }
        if (kind < 11) {
            return home(i, most);
        }
        if (kind < 17) {
            return swap(i, random.nextInt(s.actors), most);
        }
        return kind < 19 ? more(s.host[i][random.nextInt(s.hosts[i])], most) : fewer(i, most);
    }

    private boolean home(int i, double most) {
        int n = s.in.current().replicas(i);
        return n > 0 && relocate(i, s.in.current().server(i, random.nextInt(n)), most);
    }

    private boolean relocate(int i, int to, double most) {
        int from = s.host[i][random.nextInt(s.hosts[i])];
        if (s.isOn(i, to) || !s.hasRoom(i, to) || !zones.mayMove(i, from, to)) {
            return false;
        }
        int adds = news(i, to) - news(i, from);
        if (rough(deltas.quickMove(i, from, to) - hair, adds) > most) {
            return false;
        }
        delta = deltas.move(i, from, to);
        if (delta > stepMax || rough(delta, adds) > most) {
            return false;
        }
        carry(i, from, to);
        augmentingPathBalancer.balance(from);
        augmentingPathBalancer.balance(to);
        return true;
    }

    private void carry(int i, int from, int to) {
        double borne = s.loadOf[i][s.position(i, from)];
        s.drop(i, from);
        s.add(i, to);
        s.setFlow(i, to, borne);
        pend(i, from, false);
        pend(i, to, true);
    }

    private boolean swap(int i, int k, double most) {
        if (i == k || s.hosts[k] == 0) {
            return false;
        }
        int a = s.host[i][random.nextInt(s.hosts[i])];
        int b = s.host[k][random.nextInt(s.hosts[k])];
        if (a == b || s.isOn(i, b) || s.isOn(k, a)) {
            return false;
        }
        if (s.usedMemory[b] - s.memory[k] + s.memory[i] > s.capacity[b]
                || s.usedMemory[a] - s.memory[i] + s.memory[k] > s.capacity[a]) {
            return false;
        }
        if (!zones.mayMove(i, a, b) || !zones.mayMove(k, b, a)) {
            return false;
        }
        int adds = news(i, b) - news(i, a) + news(k, a) - news(k, b);
        if (rough(deltas.quickSwap(i, a, k, b) - hair, adds) > most) {
            return false;
        }
        delta = deltas.swap(i, a, k, b);
        if (delta > stepMax || rough(delta, adds) > most) {
            return false;
        }
        carry(i, a, b);
        carry(k, b, a);
        augmentingPathBalancer.balance(a);
        augmentingPathBalancer.balance(b);
        return true;
    }

    /** Adds a replica of an actor of this server to another one. */
    private boolean more(int from, double most) {
        int i = s.actorsOn[from][random.nextInt(s.actorCountOn[from])];
        int to = random.nextInt(s.servers);
        if (s.isOn(i, to) || !s.hasRoom(i, to)) {
            return false;
        }
        delta = deltas.add(i, to);
        if (delta > stepMax || rough(delta, news(i, to)) > most) {
            return false;
        }
        s.add(i, to);
        pend(i, to, true);
        augmentingPathBalancer.balance(from);
        augmentingPathBalancer.balance(to);
        return true;
    }

    private boolean fewer(int i, double most) {
        if (s.hosts[i] <= needed[i] || s.hosts[i] < 2) {
            return false;
        }
        int from = s.host[i][random.nextInt(s.hosts[i])];
        if (!zones.mayDrop(i, from)) {
            return false;
        }
        delta = deltas.drop(i, from);
        if (delta > stepMax || rough(delta, -news(i, from)) > most) {
            return false;
        }
        double borne = s.loadOf[i][s.position(i, from)];
        s.drop(i, from);
        pend(i, from, false);
        int to = s.host[i][random.nextInt(s.hosts[i])];
        s.setFlow(i, to, s.loadOf[i][s.position(i, to)] + borne);
        augmentingPathBalancer.balance(to);
        augmentingPathBalancer.balance(from);
        return true;
    }
}
