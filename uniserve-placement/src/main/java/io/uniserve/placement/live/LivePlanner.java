package io.uniserve.placement.live;

import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.ReplicationLimits;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.ReplicationPolicy.Finding;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PlacementStatus;
import io.uniserve.placement.run.PolicyRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * Planner that turns the whole answer of a placement policy into changes of a running cluster: moves, copies made and dropped, and shares of
 * queries. It checks the answer before and after it applies the limits.
 *
 * <p>The plan is empty unless it is worth its cost. It must bring a server that is out of its tolerance closer to its fair share, or save a
 * tenth of the contention. Copies that are not needed are dropped in any case. Thread-safe.
 */
public final class LivePlanner {
    private static final double CONTENTION_GAIN = 0.1;
    private static final double EVENNESS_GAIN = 0.01;

    private final BalancePolicy policy;
    private final double tolerance;
    private final ReplicationLimits limits;
    private final int movesMax;
    private final PolicyRunner runner;
    private final PolicyRunner judge;
    private final Supplier<SearchBudget> effort;
    private final LiveNames names;

    /**
     * Creates the planner of a policy.
     *
     * @param tolerance part of its fair share by which a server's load may differ
     * @param limits bounds of copies
     * @param movesMax maximum moves of one plan
     * @param constraints constraints of the answer and of the plan
     * @param hangMs time limit of the policy in milliseconds; 0 for none
     * @param effort search budget of each call
     */
    public LivePlanner(
            BalancePolicy policy,
            double tolerance,
            ReplicationLimits limits,
            int movesMax,
            List<Constraint> constraints,
            long hangMs,
            Supplier<SearchBudget> effort,
            LiveNames names) {
        this.policy = policy;
        this.tolerance = tolerance;
        this.limits = limits;
        this.movesMax = movesMax;
        this.runner = new PolicyRunner(constraints, hangMs);
        this.judge = new PolicyRunner(constraints, 0);
        this.effort = effort;
        this.names = names;
    }

    /** A policy's answer, before the limits of copies apply. */
    record Proposed(LiveProblem problem, PlacementResult result, List<String> notes) {}

    /** Runs the policy and returns the plan. */
    public LivePlan plan(LiveCluster cluster, CopyTraffic measured) {
        return plan(propose(cluster), measured);
    }

    /** Runs the policy. Failures are in the result. */
    Proposed propose(LiveCluster cluster) {
        LiveProblem problem = new LiveProblem(cluster, tolerance, names);
        if (!problem.hasChoice()) {
            Assignment current = problem.load().current();
            return new Proposed(
                    problem,
                    new PlacementResult(PlacementStatus.BALANCED, List.of(), current, problem.check(current)),
                    List.of());
        }
        List<String> notes = new ArrayList<>();
        PlacementResult result = runner.run(
                (in, budget) -> {
                    PlacementProposal proposal = policy.place(in, budget);
                    synchronized (notes) {
                        notes.addAll(proposal.notes());
                    }
                    return policy.hasFreeShares() ? withLevelShares(problem, in, proposal) : proposal;
                },
                problem.load(),
                effort.get());
        synchronized (notes) {
            return new Proposed(problem, result, List.copyOf(notes));
        }
    }

    /** Levels the shares of a changed placement, so that the next change of a load does not put a server out of its tolerance. */
    private static PlacementProposal withLevelShares(LiveProblem problem, ClusterLoad in, PlacementProposal proposal) {
        return proposal.assignment().equals(in.current())
                ? proposal
                : new PlacementProposal(
                        ShareLeveler.level(
                                in,
                                proposal.assignment(),
                                i -> problem.isComplete(i) && problem.actor(i).movable()),
                        proposal.notes());
    }

    /** Applies the limits and returns the plan. */
    LivePlan plan(Proposed proposed, CopyTraffic measured) {
        LiveProblem problem = proposed.problem();
        PlacementProperties before = problem.check(problem.load().current());
        PlacementResult result = proposed.result();
        if (!result.isTaken()) {
            return new LivePlan(
                    result.status(), problem.named(result.reasons()), before, before, List.of(), List.of(), List.of());
        }
        AnswerFilter filter = new AnswerFilter(problem, limits, measured, result.assignment());
        List<TreeMap<Integer, Double>> places = filter.places();
        PlanSteps steps = steps(problem, places);
        if (!isWorthwhile(before, problem.check(LiveProblem.assignment(places)))) {
            keepUnlessDropped(problem, places);
            steps = steps(problem, places);
        }
        return judged(proposed, filter, places, steps, before);
    }

    private PlanSteps steps(LiveProblem problem, List<TreeMap<Integer, Double>> places) {
        PlanSteps steps = new PlanSteps(problem, places, movesMax);
        steps.addWeights(new QueryWeights(problem, limits, tolerance).apply(places));
        return steps;
    }

    private static boolean isWorthwhile(PlacementProperties before, PlacementProperties after) {
        boolean evener = after.outsideTolerance() < before.outsideTolerance() - EVENNESS_GAIN;
        boolean aside = after.contention() <= before.contention() * (1 - CONTENTION_GAIN)
                && after.outsideTolerance() <= before.outsideTolerance() + EVENNESS_GAIN;
        return evener || (aside && before.contention() > 0);
    }

    /** Keeps every actor's places, except for copies that are dropped. */
    private static void keepUnlessDropped(LiveProblem problem, List<TreeMap<Integer, Double>> places) {
        Assignment current = problem.load().current();
        for (int i = 0; i < places.size(); i++) {
            TreeMap<Integer, Double> now = LiveProblem.shares(current, i);
            boolean drops = places.get(i).size() < now.size()
                    && now.keySet().containsAll(places.get(i).keySet());
            if (!drops) {
                places.set(i, now);
            }
        }
    }

    private LivePlan judged(
            Proposed proposed,
            AnswerFilter filter,
            List<TreeMap<Integer, Double>> places,
            PlanSteps steps,
            PlacementProperties before) {
        LiveProblem problem = proposed.problem();
        Assignment after = LiveProblem.assignment(places);
        PlacementResult checked = problem.hasChoice()
                ? judge.run(
                        (in, budget) -> new PlacementProposal(after, proposed.notes()),
                        problem.load(),
                        SearchBudget.unlimited(0))
                : proposed.result();
        List<Finding> findings = new ArrayList<>();
        for (Map.Entry<ReplicaKey, String> one : filter.findings().entrySet()) {
            findings.add(new Finding(one.getKey(), one.getValue()));
        }
        boolean taken = checked.isTaken();
        return new LivePlan(
                checked.status(),
                problem.named(checked.reasons()),
                before,
                checked.check(),
                taken ? steps.moves(before, checked.check()) : List.of(),
                taken ? steps.copies() : List.of(),
                findings);
    }
}
