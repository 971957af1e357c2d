package io.uniserve.placement.simulate;

import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.model.ClusterLoadBuilder;
import io.uniserve.placement.model.ShardSet;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import io.uniserve.stats.SpaceSavingSketch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;

/**
 * Simulator of a cluster under a workload. Queries arrive by a Poisson process. A query has one task per actor, which runs on a core of the
 * server of one replica, chosen by the shares. A query's latency is that of its last task. After each interval the policy gets the smoothed
 * work of the interval and the popular sets from a sketch, and moves of replicas take no time.
 *
 * <p>In the first placement neighbours are on the same server. The same seed gives the same result.
 */
public final class ClusterSimulator {
    private static final int SETS = 1_000;
    private static final double SMOOTHING = 0.5;

    private final ClusterShape shape;
    private final AccessPattern accessPattern;
    private final BalancePolicy policy;
    private final PolicyRunner runner;
    private final Supplier<SearchBudget> effort;
    private final SplittableRandom random;
    private final ServerQueue[] servers;
    private final double[] loads;
    private final double[] smooth;
    private final double pace;
    private Assignment current;
    private double now;

    /**
     * Prepares a run.
     *
     * @param effort search budget, called once per interval
     */
    public ClusterSimulator(
            ClusterShape shape,
            AccessPattern accessPattern,
            BalancePolicy policy,
            PolicyRunner runner,
            Supplier<SearchBudget> effort) {
        this.shape = shape;
        this.accessPattern = accessPattern;
        this.policy = policy;
        this.runner = runner;
        this.effort = effort;
        random = new SplittableRandom(shape.seed());
        servers = new ServerQueue[shape.servers()];
        Arrays.setAll(servers, j -> new ServerQueue(shape.cores()));
        loads = new double[shape.actors()];
        smooth = new double[shape.actors()];
        int[] first = new int[shape.actors()];
        Arrays.setAll(first, i -> (int) ((long) i * shape.servers() / shape.actors()));
        current = Assignment.single(first);
        pace = meanTasks() / (shape.utilization() * shape.servers() * shape.cores());
    }

    /** Runs all intervals. */
    public List<IntervalResult> run() {
        List<IntervalResult> intervals = new ArrayList<>();
        for (int interval = 0; interval < shape.intervals(); interval++) {
            intervals.add(interval(interval));
        }
        return intervals;
    }

    private IntervalResult interval(int number) {
        double start = now;
        double[] latencies = new double[shape.queries()];
        SpaceSavingSketch<List<Integer>> popular = new SpaceSavingSketch<>(4 * SETS);
        Arrays.fill(loads, 0);
        for (int q = 0; q < latencies.length; q++) {
            now -= pace * Math.log(1 - random.nextDouble());
            int[] set = accessPattern.query(random, shape.actors(), number);
            latencies[q] = runQuery(set);
            popular.add(Arrays.stream(set).boxed().toList(), 1);
        }
        double busiest = 0;
        for (ServerQueue server : servers) {
            busiest = Math.max(busiest, server.takeBusy() / (shape.cores() * (now - start)));
        }
        Arrays.sort(latencies);
        PlacementResult result = runner.run(policy, view(popular, number), effort.get());
        int adds = result.isTaken() ? result.check().adds() : 0;
        current = result.assignment();
        return new IntervalResult(
                number,
                latencies[latencies.length / 2],
                latencies[(int) (latencies.length * 0.99)],
                busiest,
                adds,
                current.replicas());
    }

    private double runQuery(int[] set) {
        double end = now;
        for (int actor : set) {
            double work = -Math.log(1 - random.nextDouble());
            loads[actor] += work;
            end = Math.max(end, servers[pick(actor)].run(now, work));
        }
        return end - now;
    }

    private int pick(int actor) {
        double u = random.nextDouble();
        int last = current.replicas(actor) - 1;
        for (int p = 0; p < last; p++) {
            u -= current.share(actor, p);
            if (u < 0) {
                return current.server(actor, p);
            }
        }
        return current.server(actor, last);
    }

    private ClusterLoad view(SpaceSavingSketch<List<Integer>> popular, int number) {
        for (int i = 0; i < smooth.length; i++) {
            smooth[i] = number == 0 ? loads[i] : SMOOTHING * smooth[i] + (1 - SMOOTHING) * loads[i];
        }
        List<ShardSet> sets = new ArrayList<>();
        for (SpaceSavingSketch.Entry<List<Integer>> entry : popular.top(SETS)) {
            if (entry.count() > entry.error() && entry.key().size() > 1) {
                sets.add(new ShardSet(
                        entry.count(), entry.key().stream().mapToInt(i -> i).toArray()));
            }
        }
        double[] capacity = new double[shape.servers()];
        Arrays.fill(capacity, shape.slots());
        return new ClusterLoadBuilder(smooth, capacity)
                .sets(sets)
                .current(current)
                .build();
    }

    private double meanTasks() {
        SplittableRandom sample = new SplittableRandom(shape.seed() + 1);
        long tasks = 0;
        for (int n = 0; n < 4_000; n++) {
            tasks += accessPattern.query(sample, shape.actors(), 0).length;
        }
        return tasks / 4_000.0;
    }
}
