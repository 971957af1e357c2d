package io.uniserve.placement.live;

import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy;
import io.uniserve.placement.ReplicationPolicy.Change;
import io.uniserve.placement.ReplicationPolicy.CopyTraffic;
import io.uniserve.placement.ReplicationPolicy.Finding;
import io.uniserve.placement.check.PlacementProperties;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import io.uniserve.placement.run.PlacementResult;
import io.uniserve.placement.run.PolicyRunner;
import java.util.ArrayList;
import java.util.List;

/**
 * Planner of policies that propose one change at a time, such as the default ones. It applies each change to the cluster's description,
 * and runs the policy again until it proposes none. Copies come first, then moves. Thread-safe.
 */
public final class StepwisePlanner {
    /** Maximum number of copies and shares in one plan. */
    private static final int CHANGES_MAX = 256;

    private final RebalancePolicy moves;
    private final ReplicationPolicy copies;
    private final double tolerance;
    private final PolicyRunner judge;
    private final LiveNames names;

    /**
     * Creates the planner.
     *
     * @param tolerance part of its fair share by which a server's load may differ
     * @param constraints constraints of the plan
     */
    public StepwisePlanner(
            RebalancePolicy moves,
            ReplicationPolicy copies,
            double tolerance,
            List<Constraint> constraints,
            LiveNames names) {
        this.moves = moves;
        this.copies = copies;
        this.tolerance = tolerance;
        this.judge = new PolicyRunner(constraints, 0);
        this.names = names;
    }

    /** Runs the policies and returns the plan. */
    public LivePlan plan(LiveCluster cluster, CopyTraffic measured) {
        LiveProblem problem = new LiveProblem(cluster, tolerance, names);
        List<Change> changes = new ArrayList<>();
        LiveCluster now = cluster;
        List<Finding> findings = List.of();
        boolean more = true;
        while (more && changes.size() < CHANGES_MAX) {
            ReplicationPolicy.Plan next = copies.plan(now, measured);
            findings = next.findings();
            more = next.change().isPresent();
            if (more) {
                Change change = next.change().orElseThrow();
                changes.add(change);
                now = LiveChanges.apply(now, change);
            }
        }
        List<ReplicaMove> chosen = moves.moves(now);
        for (ReplicaMove move : chosen) {
            now = LiveChanges.apply(now, move);
        }
        Assignment after = problem.assignmentOf(now);
        PlacementResult checked =
                judge.run((in, budget) -> PlacementProposal.of(after), problem.load(), SearchBudget.unlimited(0));
        PlacementProperties before = problem.check(problem.load().current());
        boolean taken = checked.isTaken();
        return new LivePlan(
                checked.status(),
                problem.named(checked.reasons()),
                before,
                checked.check(),
                taken ? chosen : List.of(),
                taken ? changes : List.of(),
                findings.stream()
                        .filter(finding -> isUnchanged(finding, changes))
                        .toList());
    }

    private static boolean isUnchanged(Finding finding, List<Change> changes) {
        return changes.stream().noneMatch(change -> change.key().equals(finding.key()));
    }
}
