package io.uniserve.placement.live;

import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Shares of queries in a plan: only those that clients get. An actor without new weights keeps its present shares, or equal ones. */
final class QueryWeights {
    /** Least improvement of the highest relative load, as a part of the mean. Smaller ones are noise. */
    private static final double GAIN_MIN = 0.1;

    /** Least share of a replica: its caches stay warm, and its load stays measurable. */
    private static final double SHARE_MIN = 0.05;

    private final LiveProblem problem;
    private final ReplicationLimits limits;
    private final double tolerance;

    QueryWeights(LiveProblem problem, ReplicationLimits limits, double tolerance) {
        this.problem = problem;
        this.limits = limits;
        this.tolerance = tolerance;
    }

    /** Replaces shares that clients do not get, and returns the changes of weights, hot actors first. */
    List<SetWeights> apply(List<TreeMap<Integer, Double>> places) {
        List<SetWeights> changes = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            TreeMap<Integer, Double> now = LiveProblem.shares(problem.load().current(), i);
            TreeMap<Integer, Double> next = places.get(i);
            if (next.size() > 1 && !canHaveWeights(i)) {
                next.replaceAll((server, share) -> 1.0 / next.size());
            }
            if (now.keySet().equals(next.keySet()) && !now.equals(next)) {
                TreeMap<Integer, Double> wanted = new TreeMap<>(next);
                next.putAll(now);
                if (canHaveWeights(i)) {
                    change(i, places, wanted, changes);
                }
            }
        }
        changes.sort((a, b) -> Double.compare(queries(b), queries(a)));
        return changes;
    }

    private double queries(SetWeights change) {
        Integer number = problem.number(change.key());
        return number == null ? 0 : problem.actor(number).copies().queryLoad();
    }

    private boolean canHaveWeights(int i) {
        Actor actor = problem.actor(i);
        return actor.movable()
                && problem.isComplete(i)
                && actor.copies().permitted()
                && actor.copies().queryLoad() >= limits.loadMin();
    }

    private void change(
            int i, List<TreeMap<Integer, Double>> places, TreeMap<Integer, Double> wanted, List<SetWeights> changes) {
        double before = highest(places, wanted.keySet());
        TreeMap<Integer, Double> now = new TreeMap<>(places.get(i));
        places.get(i).putAll(wanted);
        double after = highest(places, wanted.keySet());
        double mean = problem.load().mean();
        if (before <= (1 + tolerance) * mean || before - after < GAIN_MIN * mean) {
            places.get(i).putAll(now);
            return;
        }
        String why = String.format(
                Locale.ROOT,
                "its servers are at up to %.0f%% of their due, with these shares at %.0f%%",
                100 * before / mean,
                100 * after / mean);
        changes.add(new SetWeights(problem.actor(i).key(), weights(i, wanted), why));
    }

    /** Highest relative load of these servers. */
    private double highest(List<TreeMap<Integer, Double>> places, Iterable<Integer> servers) {
        double[] loads = problem.loads(places);
        double highest = 0;
        for (int server : servers) {
            highest = Math.max(highest, loads[server] / problem.load().weight(server));
        }
        return highest;
    }

    /** Shares of the queries for these shares of the whole load, of which a part belongs to the replicas themselves. */
    private Map<ServerId, Double> weights(int i, TreeMap<Integer, Double> shares) {
        Actor actor = problem.actor(i);
        double least = Math.min(SHARE_MIN, 0.5 / shares.size());
        Map<ServerId, Double> weights = new TreeMap<>();
        double sum = 0;
        for (Map.Entry<Integer, Double> entry : shares.entrySet()) {
            ServerId host = problem.server(entry.getKey()).id();
            double queries = entry.getValue() * problem.load().load(i) - actor.loadWithoutQueries(host);
            double weight = Math.max(least, queries / Math.max(actor.copies().queryLoad(), Double.MIN_NORMAL));
            weights.put(host, weight);
            sum += weight;
        }
        double total = sum;
        weights.replaceAll((host, weight) -> weight / total);
        return weights;
    }
}
