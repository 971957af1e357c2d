package io.uniserve.placement.live;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ReplicaKey;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.RebalancePolicy;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Moves and automatic copies of a running cluster by the whole answer of one placement policy. The policy runs once when {@link #plan} follows
 * {@link #moves} with the same cluster.
 *
 * <p>Copies are made first, all of one actor at once. Then come moves, then shares of queries, and last the copies that are dropped. The next answer
 * starts from the cluster with these changes. Thread-safe.
 */
public final class WholeAnswerPolicy implements RebalancePolicy, ReplicationPolicy {
    private final LivePlanner planner;
    private final AtomicReference<@Nullable Answer> last = new AtomicReference<>();

    private record Answer(LiveCluster cluster, LivePlanner.Proposed proposed) {}

    public WholeAnswerPolicy(LivePlanner planner) {
        this.planner = planner;
    }

    /**
     * Returns the moves, at most one per actor, and none of an actor that gets a copy.
     *
     * @throws UniserveException UNSUPPORTED with the reason if the policy failed, or if its answer was refused
     */
    @Override
    public List<ReplicaMove> moves(LiveCluster cluster) {
        Answer answer = new Answer(cluster, planner.propose(cluster));
        last.set(answer);
        LivePlan plan = checked(planner.plan(answer.proposed(), CopyTraffic.UNMEASURED));
        Set<ReplicaKey> busy = plan.copies().stream()
                .filter(AddCopies.class::isInstance)
                .map(Change::key)
                .collect(Collectors.toCollection(TreeSet::new));
        return plan.moves().stream().filter(move -> busy.add(move.key())).toList();
    }

    /**
     * Returns the next change of copies.
     *
     * @throws UniserveException UNSUPPORTED with the reason if the policy failed, or if its answer was refused
     */
    @Override
    public Plan plan(LiveCluster cluster, CopyTraffic measured) {
        Answer answer = last.getAndSet(null);
        if (answer == null || !answer.cluster().equals(cluster)) {
            answer = new Answer(cluster, planner.propose(cluster));
        }
        LivePlan plan = checked(planner.plan(answer.proposed(), measured));
        Optional<Change> add = first(plan, AddCopies.class);
        Optional<Change> next = add.isPresent() || !plan.moves().isEmpty()
                ? add
                : first(plan, SetWeights.class).or(() -> first(plan, DropCopy.class));
        Set<ReplicaKey> found =
                plan.findings().stream().map(Finding::key).collect(Collectors.toCollection(TreeSet::new));
        List<Finding> changing = plan.copies().stream()
                .filter(change -> found.add(change.key()))
                .map(change -> new Finding(change.key(), change.reason()))
                .toList();
        return new Plan(
                next, Stream.concat(changing.stream(), plan.findings().stream()).toList());
    }

    private static Optional<Change> first(LivePlan plan, Class<? extends Change> kind) {
        return plan.copies().stream().filter(kind::isInstance).findFirst();
    }

    private static LivePlan checked(LivePlan plan) {
        if (!plan.isTaken()) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED, "the policy's placement was refused: " + String.join("; ", plan.reasons()));
        }
        return plan;
    }
}
