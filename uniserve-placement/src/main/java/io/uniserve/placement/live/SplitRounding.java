package io.uniserve.placement.live;

import io.uniserve.placement.model.ClusterLoad;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Rounding of an actor that a policy divides among more servers than it may have: one of its replicas moves to another of these servers if
 * that lowers the larger load of both.
 */
final class SplitRounding {
    /** Least gain of the more loaded of both servers, as a part of the moved load. */
    private static final double GAIN_MIN = 0.25;

    private final LiveProblem problem;
    private final List<TreeMap<Integer, Double>> places;
    private final double[] loads;

    /** @param places servers and shares of every actor; they are changed */
    SplitRounding(LiveProblem problem, List<TreeMap<Integer, Double>> places) {
        this.problem = problem;
        this.places = places;
        this.loads = problem.loads(places);
    }

    /** Moves at most one replica of the actor to a server of the answer. */
    void round(int actor, Iterable<Integer> wanted) {
        ClusterLoad load = problem.load();
        TreeMap<Integer, Double> now = places.get(actor);
        int bestFrom = -1;
        int bestTo = -1;
        double most = 0;
        for (Map.Entry<Integer, Double> host : now.entrySet()) {
            int from = host.getKey();
            double part = load.load(actor) * host.getValue();
            for (int to : wanted) {
                double before = loads[from] / load.weight(from);
                double after = Math.max(before - part / load.weight(from), (loads[to] + part) / load.weight(to));
                boolean helps = part > 0 && before - after >= GAIN_MIN * part / load.weight(from);
                if (helps && before - after > most && !now.containsKey(to) && keepsZones(now, from, to)) {
                    most = before - after;
                    bestFrom = from;
                    bestTo = to;
                }
            }
        }
        Double share = now.get(bestFrom);
        if (share != null) {
            now.remove(bestFrom);
            now.put(bestTo, share);
            loads[bestFrom] -= load.load(actor) * share;
            loads[bestTo] += load.load(actor) * share;
        }
    }

    private boolean keepsZones(TreeMap<Integer, Double> now, int from, int to) {
        List<Integer> after = new ArrayList<>(now.keySet());
        after.remove(Integer.valueOf(from));
        after.add(to);
        return problem.zones(after) >= problem.zones(now.keySet());
    }
}
