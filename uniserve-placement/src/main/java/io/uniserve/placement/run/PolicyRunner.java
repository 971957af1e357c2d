package io.uniserve.placement.run;

import io.uniserve.error.PrintableText;
import io.uniserve.placement.check.PlacementChecker;
import io.uniserve.placement.constraint.Constraint;
import io.uniserve.placement.model.Assignment;
import io.uniserve.placement.model.ClusterLoad;
import io.uniserve.placement.policy.BalancePolicy;
import io.uniserve.placement.policy.PlacementProposal;
import io.uniserve.placement.policy.SearchBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Runner of third-party policies. If a policy throws, hangs or proposes a violation of a hard constraint, the placement stays and the
 * result has the reason. A policy that hangs is not run again before it ends. Thread-safe.
 */
public final class PolicyRunner {
    private final List<Constraint> constraints;
    private final long hangMs;
    private final AtomicReference<@Nullable Thread> abandoned = new AtomicReference<>();

    /**
     * Checks proposals by these constraints.
     *
     * @param hangMs time limit of the policy in milliseconds; 0 to run it on the caller's thread without limit
     */
    public PolicyRunner(List<Constraint> constraints, long hangMs) {
        this.constraints = List.copyOf(constraints);
        this.hangMs = hangMs;
    }

    /** Runs the policy once and checks its proposal. */
    public PlacementResult run(BalancePolicy policy, ClusterLoad in, SearchBudget searchBudget) {
        FeasibilityReport feasible = FeasibilityReport.of(in);
        if (!feasible.impossible().isEmpty()) {
            return keepCurrent(PlacementStatus.INFEASIBLE, feasible.impossible(), in);
        }
        ClusterLoad asked =
                feasible.rf() == in.rf() ? in : in.toBuilder().rf(feasible.rf()).build();
        List<String> reasons = new ArrayList<>(feasible.reduced());
        Answer answer = runWithTimeout(policy, asked, searchBudget);
        if (answer.proposal() == null) {
            reasons.add(answer.failure());
            return keepCurrent(PlacementStatus.REJECTED, reasons, in);
        }
        return checkProposal(in, answer.proposal(), reasons);
    }

    private PlacementResult checkProposal(ClusterLoad in, PlacementProposal proposal, List<String> reasons) {
        Assignment after = proposal.assignment();
        boolean soft = !reasons.isEmpty();
        for (Constraint constraint : constraints) {
            List<String> broken = constraint.violations(in, after);
            broken.forEach(reason -> reasons.add(constraint.name() + ": " + reason));
            if (!broken.isEmpty() && constraint.isHard()) {
                return keepCurrent(PlacementStatus.REJECTED, reasons, in);
            }
            soft |= !broken.isEmpty();
        }
        proposal.notes().forEach(note -> reasons.add(PrintableText.line(note)));
        PlacementStatus status = soft ? PlacementStatus.BEST_EFFORT : PlacementStatus.BALANCED;
        return new PlacementResult(status, reasons, after, PlacementChecker.check(in, after));
    }

    private static PlacementResult keepCurrent(PlacementStatus status, List<String> reasons, ClusterLoad in) {
        return new PlacementResult(status, reasons, in.current(), PlacementChecker.check(in, in.current()));
    }

    /** Proposal of a policy, or the failure. */
    private record Answer(@Nullable PlacementProposal proposal, String failure) {}

    private Answer runWithTimeout(BalancePolicy policy, ClusterLoad in, SearchBudget searchBudget) {
        if (hangMs <= 0) {
            return runPolicy(policy, in, searchBudget);
        }
        Thread hanging = abandoned.get();
        if (hanging != null && hanging.isAlive()) {
            return new Answer(
                    null,
                    "the policy still runs since an earlier call, and did not answer it within " + hangMs + " ms");
        }
        FutureTask<Answer> task = new FutureTask<>(() -> runPolicy(policy, in, searchBudget));
        Thread thread = new Thread(task, "placement-policy");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(hangMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return failed(e.getCause());
        } catch (TimeoutException e) {
            task.cancel(true);
            abandoned.set(thread);
            return new Answer(null, "the policy did not answer within " + hangMs + " ms");
        } catch (InterruptedException e) {
            task.cancel(true);
            Thread.currentThread().interrupt();
            return new Answer(null, "interrupted while the policy ran");
        }
    }

    private static Answer runPolicy(BalancePolicy policy, ClusterLoad in, SearchBudget searchBudget) {
        try {
            return new Answer(policy.place(in, searchBudget), "the policy failed: it proposed nothing");
        } catch (Throwable e) { // third-party code may throw anything
            return failed(e);
        }
    }

    /** Returns the failure of a policy. The exception is the policy's own class, so its message may throw again. */
    private static Answer failed(@Nullable Throwable thrown) {
        String told;
        try {
            told = PrintableText.line(String.valueOf(thrown));
        } catch (RuntimeException | StackOverflowError e) {
            String what = thrown == null ? "an error" : thrown.getClass().getName();
            told = what + ", whose message fails with " + e.getClass().getName();
        }
        return new Answer(null, "the policy failed: " + told);
    }
}
