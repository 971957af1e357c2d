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

    private final SearchState state;
    private final AugmentingPathBalancer augmentingPathBalancer;
    private final int[] needed;
    private final SplittableRandom random;
    private final ContentionDeltaEvaluator deltas;
    private final ZoneSpreadRule zones;
    private final double unit;
    private final double epsilon;
    private final double mean;

    /** Maximum increase of the contention per step. */
    private double stepMax = Double.POSITIVE_INFINITY;

    private double addPrice;
    private double contentionMax;
    private double balancePrice;

    /** Effect on the contention of the change that is tried. */
    private double contentionDelta;

    private final int[] pendingActor = new int[4];
    private final int[] pendingServer = new int[4];
    private final boolean[] pendingAdd = new boolean[4];
    private int pending;

    Annealer(SearchState s, AugmentingPathBalancer augmentingPathBalancer, int[] needed, SplittableRandom random) {
        this.state = s;
        zones = new ZoneSpreadRule(s);
        this.augmentingPathBalancer = augmentingPathBalancer;
        this.needed = needed;
        this.random = random;
        deltas = new ContentionDeltaEvaluator(s);
        double bound = PlacementLowerBounds.contention(s.in);
        // Without sets there is no contention; a division by zero would give NaN.
        unit = bound > 0 ? 100 / Math.max(bound, 1e-290) : 0;
        epsilon = ROUNDING * Arrays.stream(s.sets.frequency).sum();
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
        SearchStateSnapshot best = new SearchStateSnapshot(state);
        balancePrice = BALANCE_LATE;
        double bestCost = cost();
        double cooling = Math.pow(cold / hot, (double) BATCH / steps);
        double heat = hot;
        for (int done = 0; done < steps && !outOfTime.getAsBoolean(); done += BATCH) {
            double part = Math.min(1, 1.25 * done / steps);
            balancePrice = BALANCE_EARLY * Math.pow(BALANCE_LATE / BALANCE_EARLY, part);
            runBatch(heat);
            heat *= cooling;
            state.commit();
            balancePrice = BALANCE_LATE;
            double now = cost();
            if (now < bestCost - 1e-9) {
                bestCost = now;
                best = new SearchStateSnapshot(state);
            }
        }
        balancePrice = BALANCE_LATE;
        if (cost() > bestCost) {
            best.restore(state);
        }
    }

    private void runBatch(double heat) {
        double now = cost();
        for (int n = 0; n < BATCH; n++) {
            int mark = state.savepoint();
            double most = now - heat * Math.log(1 - random.nextDouble());
            pending = 0;
            state.counting = false;
            boolean changed = move(most);
            double after = changed ? costWithoutBalance(contentionDelta, 0) + unevenness() : Double.POSITIVE_INFINITY;
            if (after > most) {
                state.rollback(mark);
                state.counting = true;
            } else {
                state.counting = true;
                applyPending();
                now = after;
                state.journal.clear();
            }
        }
    }

    /** Updates the counts of the changed sets. */
    private void applyPending() {
        for (int n = 0; n < pending; n++) {
            if (pendingAdd[n]) {
                deltas.count(pendingActor[n], pendingServer[n]);
            } else {
                deltas.uncount(pendingActor[n], pendingServer[n]);
            }
        }
    }

    private void addPending(int actor, int server, boolean add) {
        pendingActor[pending] = actor;
        pendingServer[pending] = server;
        pendingAdd[pending++] = add;
    }

    double cost() {
        return costWithoutBalance(0, 0) + unevenness();
    }

    private double unevenness() {
        double out = state.imbalance();
        return out > 0 ? balancePrice * (UNBALANCED + out / mean) : 0;
    }

    /** Returns the cost without balance, after a change of contention and new replicas. */
    private double costWithoutBalance(double more, int adds) {
        double k = state.sets.contention() + more;
        double counted = contentionMax > 0 ? ABOVE_TARGET * Math.max(0, k - contentionMax) : k;
        return unit * counted + addPrice * (state.adds + adds) + 0.05 * addPrice * state.replicas;
    }

    private int newReplicaDelta(int actor, int server) {
        return state.isOnInitially(actor, server) ? 0 : 1;
    }

    /** Tries a change. Returns false if it is impossible or costs more than the maximum. */
    private boolean move(double most) {
        int kind = random.nextInt(20);
        int i = random.nextInt(state.actors);
        if (state.hosts[i] == 0) {
            return false;
        }
        if (kind < 9) {
            return relocate(i, random.nextInt(state.servers), most);
        }
        if (kind < 11) {
            return moveHome(i, most);
        }
        if (kind < 17) {
            return swap(i, random.nextInt(state.actors), most);
        }
        return kind < 19 ? addReplica(state.host[i][random.nextInt(state.hosts[i])], most) : dropReplica(i, most);
    }

    private boolean moveHome(int i, double most) {
        int n = state.in.current().replicas(i);
        return n > 0 && relocate(i, state.in.current().server(i, random.nextInt(n)), most);
    }

    private boolean relocate(int i, int to, double most) {
        int from = state.host[i][random.nextInt(state.hosts[i])];
        if (state.isOn(i, to) || !state.hasRoom(i, to) || !zones.mayMove(i, from, to)) {
            return false;
        }
        int adds = newReplicaDelta(i, to) - newReplicaDelta(i, from);
        if (costWithoutBalance(deltas.quickMove(i, from, to) - epsilon, adds) > most) {
            return false;
        }
        contentionDelta = deltas.move(i, from, to);
        if (contentionDelta > stepMax || costWithoutBalance(contentionDelta, adds) > most) {
            return false;
        }
        moveLoad(i, from, to);
        augmentingPathBalancer.balance(from);
        augmentingPathBalancer.balance(to);
        return true;
    }

    private void moveLoad(int i, int from, int to) {
        double borne = state.loadOf[i][state.position(i, from)];
        state.drop(i, from);
        state.add(i, to);
        state.setFlow(i, to, borne);
        addPending(i, from, false);
        addPending(i, to, true);
    }

    private boolean swap(int i, int k, double most) {
        if (i == k || state.hosts[k] == 0) {
            return false;
        }
        int a = state.host[i][random.nextInt(state.hosts[i])];
        int b = state.host[k][random.nextInt(state.hosts[k])];
        if (a == b || state.isOn(i, b) || state.isOn(k, a)) {
            return false;
        }
        if (state.usedMemory[b] - state.memory[k] + state.memory[i] > state.capacity[b]
                || state.usedMemory[a] - state.memory[i] + state.memory[k] > state.capacity[a]) {
            return false;
        }
        if (!zones.mayMove(i, a, b) || !zones.mayMove(k, b, a)) {
            return false;
        }
        int adds = newReplicaDelta(i, b) - newReplicaDelta(i, a) + newReplicaDelta(k, a) - newReplicaDelta(k, b);
        if (costWithoutBalance(deltas.quickSwap(i, a, k, b) - epsilon, adds) > most) {
            return false;
        }
        contentionDelta = deltas.swap(i, a, k, b);
        if (contentionDelta > stepMax || costWithoutBalance(contentionDelta, adds) > most) {
            return false;
        }
        moveLoad(i, a, b);
        moveLoad(k, b, a);
        augmentingPathBalancer.balance(a);
        augmentingPathBalancer.balance(b);
        return true;
    }

    /** Adds a replica of an actor of this server to another one. */
    private boolean addReplica(int from, double most) {
        int i = state.actorsOn[from][random.nextInt(state.actorCountOn[from])];
        int to = random.nextInt(state.servers);
        if (state.isOn(i, to) || !state.hasRoom(i, to)) {
            return false;
        }
        contentionDelta = deltas.add(i, to);
        if (contentionDelta > stepMax || costWithoutBalance(contentionDelta, newReplicaDelta(i, to)) > most) {
            return false;
        }
        state.add(i, to);
        addPending(i, to, true);
        augmentingPathBalancer.balance(from);
        augmentingPathBalancer.balance(to);
        return true;
    }

    private boolean dropReplica(int i, double most) {
        if (state.hosts[i] <= needed[i] || state.hosts[i] < 2) {
            return false;
        }
        int from = state.host[i][random.nextInt(state.hosts[i])];
        if (!zones.mayDrop(i, from)) {
            return false;
        }
        contentionDelta = deltas.drop(i, from);
        if (contentionDelta > stepMax || costWithoutBalance(contentionDelta, -newReplicaDelta(i, from)) > most) {
            return false;
        }
        double borne = state.loadOf[i][state.position(i, from)];
        state.drop(i, from);
        addPending(i, from, false);
        int to = state.host[i][random.nextInt(state.hosts[i])];
        state.setFlow(i, to, state.loadOf[i][state.position(i, to)] + borne);
        augmentingPathBalancer.balance(to);
        augmentingPathBalancer.balance(from);
        return true;
    }
}
