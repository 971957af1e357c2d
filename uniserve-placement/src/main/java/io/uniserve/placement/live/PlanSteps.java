package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.DropCopy;
import io.uniserve.placement.ReplicationPolicy.SetWeights;
import io.uniserve.placement.check.PlacementProperties;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** Steps from the current placement to a planned one: changes of single replicas, actors with most load first. */
final class PlanSteps {
    private final LiveProblem problem;
    private final double[] loads;
    private final List<Move> moves = new ArrayList<>();
    private final List<AddCopies> adds = new ArrayList<>();
    private final List<DropCopy> drops = new ArrayList<>();
    private List<SetWeights> weights = List.of();

    private record Move(ReplicaKey key, int from, int to) {}

    /**
     * Derives the steps. Actors whose moves exceed the maximum get their present places again.
     *
     * @param places servers and shares of every actor after the plan; may be changed
     */
    PlanSteps(LiveProblem problem, List<TreeMap<Integer, Double>> places, int movesMax) {
        this.problem = problem;
        List<TreeMap<Integer, Double>> current = new ArrayList<>();
        List<Integer> hottest = new ArrayList<>();
        for (int i = 0; i < places.size(); i++) {
            current.add(LiveProblem.shares(problem.load().current(), i));
            hottest.add(i);
        }
        loads = problem.loads(current);
        hottest.sort(Comparator.comparingDouble(i -> -problem.load().load(i)));
        for (int i : hottest) {
            if (!addSteps(i, current.get(i), places.get(i), movesMax)) {
                places.set(i, current.get(i));
            }
        }
    }

    private boolean addSteps(int i, TreeMap<Integer, Double> now, TreeMap<Integer, Double> next, int movesMax) {
        Actor actor = problem.actor(i);
        List<Integer> leave = new ArrayList<>(now.keySet());
        leave.removeAll(next.keySet());
        // The primary is first: it moves, but it is never dropped.
        leave.sort(Comparator.comparing(
                (Integer server) -> !problem.server(server).id().equals(actor.primary())));
        List<Integer> join = new ArrayList<>(next.keySet());
        join.removeAll(now.keySet());
        join.sort(Comparator.comparingDouble(server -> -next.getOrDefault(server, 0.0)));
        int pairs = Math.min(leave.size(), join.size());
        if (moves.size() + pairs > movesMax) {
            return false;
        }
        for (int pair = 0; pair < pairs; pair++) {
            moves.add(new Move(actor.key(), leave.get(pair), join.get(pair)));
        }
        List<Integer> added = join.subList(pairs, join.size());
        int has = now.size() + added.size();
        if (!added.isEmpty()) {
            adds.add(new AddCopies(
                    actor.key(),
                    added.stream().map(server -> problem.server(server).id()).toList(),
                    has,
                    text(
                            "the policy wants %d replicas; its queries need %.1f ms/s, the servers are at %s of their due",
                            next.size(),
                            actor.copies().queryLoad(),
                            String.join(", ", added.stream().map(this::percent).toList()))));
        }
        for (int server : leave.subList(pairs, leave.size())) {
            has--;
            drops.add(new DropCopy(
                    actor.key(),
                    problem.server(server).id(),
                    has <= actor.copies().least() ? 0 : has,
                    text(
                            "the policy wants %d replicas; its queries need %.1f ms/s",
                            next.size(), actor.copies().queryLoad())));
        }
        return true;
    }

    void addWeights(List<SetWeights> changes) {
        weights = changes;
    }

    /** The moves, with the effect of the whole plan as a part of the reason. */
    List<ReplicaMove> moves(PlacementProperties before, PlacementProperties after) {
        boolean contention = after.contention() < before.contention();
        String plan = contention
                ? text("the plan brings contention from %.4g to %.4g", before.contention(), after.contention())
                : text(
                        "the plan brings the servers from %.0f%% to %.0f%% of their due to %.0f%% to %.0f%%",
                        100 * before.leastLoad(),
                        100 * before.largestLoad(),
                        100 * after.leastLoad(),
                        100 * after.largestLoad());
        return moves.stream()
                .map(move -> new ReplicaMove(
                        move.key(),
                        problem.server(move.from()).id(),
                        problem.server(move.to()).id(),
                        "source at " + percent(move.from()) + " of its due, target at " + percent(move.to()) + "; "
                                + plan))
                .toList();
    }

    /** Copies to make, shares of queries, then copies to drop. */
    List<Change> copies() {
        List<Change> all = new ArrayList<>(adds);
        all.addAll(weights);
        all.addAll(drops);
        return all;
    }

    private String percent(int server) {
        double due = problem.load().mean() * problem.load().weight(server);
        return text("%.0f%%", due > 0 ? 100 * loads[server] / due : 0);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
