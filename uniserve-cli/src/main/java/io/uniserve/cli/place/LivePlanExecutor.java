package io.uniserve.cli.place;

import io.uniserve.cli.ServerNames;
import io.uniserve.cli.cluster.ClusterClient;
import io.uniserve.cli.command.ConditionPoller;
import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.placement.ReplicaMove;
import io.uniserve.placement.ReplicationPolicy.AddCopies;
import io.uniserve.placement.live.LivePlan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Executor of a plan by the requests of an operator, one after the other: a change must be in sync before the next one is requested. The
 * coordinator checks every request. Copies come first, then moves. Shares of queries and drops of automatic copies have no request: they
 * stay with the coordinator's own policy.
 */
final class LivePlanExecutor {
    private final ClusterClient cluster;
    private final LiveView view;
    private final Console console;
    private final Duration timeout;
    private final List<String> refused = new ArrayList<>();
    private int done;

    LivePlanExecutor(ClusterClient cluster, LiveView view, Console console, Duration timeout) {
        this.cluster = cluster;
        this.view = view;
        this.console = console;
        this.timeout = timeout;
    }

    /** Result of an execution. */
    record Result(int done, List<String> refused, int left) {}

    /**
     * Carries out the plan. A request that the coordinator refuses is noted, and the next one follows.
     *
     * @throws UniserveException any other failure; changes before it stay
     */
    Result run(LivePlan plan) throws InterruptedException {
        List<AddCopies> copies = plan.copies().stream()
                .filter(AddCopies.class::isInstance)
                .map(AddCopies.class::cast)
                .toList();
        try {
            for (AddCopies add : copies) {
                step("copy of " + view.actor(add.key()), () -> copy(add.key(), add.targets()));
            }
            for (ReplicaMove move : plan.moves()) {
                step("move of " + view.actor(move.key()), () -> move(move.key(), move.from(), move.to()));
            }
        } catch (UniserveException e) {
            console.note("stopped after " + done + " changes, which stay");
            throw e;
        }
        int left = plan.copies().size() - copies.size();
        return new Result(done, List.copyOf(refused), left);
    }

    /** One change of an actor. */
    private interface Step {
        void run() throws InterruptedException;
    }

    private void step(String name, Step step) throws InterruptedException {
        try {
            step.run();
            done++;
            console.note(name + ": done");
        } catch (UniserveException e) {
            if (ExitCode.of(e.code()) != ExitCode.REFUSED) {
                throw e;
            }
            refused.add(name + ": " + e.reason());
            console.note(name + ": refused: " + e.reason());
        }
    }

    private void move(ReplicaKey key, ServerId from, ServerId to) throws InterruptedException {
        TableName table = view.table(key);
        cluster.move(table, key.actor(), from, to);
        ActorState after = awaitSettled(key);
        if (!after.desiredServers().contains(to)) {
            throw UniserveException.invalid("it stays on " + ServerNames.shortName(after.desiredServers()) + ": "
                    + ServerNames.shortName(to) + " failed meanwhile, or the move was cancelled");
        }
    }

    /** Requests the number of replicas. The coordinator chooses their servers, so a copy elsewhere then moves to its place. */
    private void copy(ReplicaKey key, List<ServerId> targets) throws InterruptedException {
        TableName table = view.table(key);
        List<ServerId> before = state(key).desiredServers();
        cluster.replicate(table, key.actor(), before.size() + targets.size());
        List<ServerId> made = new ArrayList<>(awaitSettled(key).desiredServers());
        made.removeAll(before);
        List<ServerId> planned = new ArrayList<>(targets);
        List<ServerId> elsewhere = new ArrayList<>(made);
        elsewhere.removeAll(planned);
        planned.removeAll(made);
        for (int i = 0; i < Math.min(elsewhere.size(), planned.size()); i++) {
            move(key, elsewhere.get(i), planned.get(i));
        }
    }

    private ActorState state(ReplicaKey key) {
        return cluster.table(view.table(key)).map().get(key.actor());
    }

    private ActorState awaitSettled(ReplicaKey key) throws InterruptedException {
        return ConditionPoller.await(
                timeout,
                () -> Optional.of(state(key)).filter(ActorState::isOnDesiredServers),
                () -> "the change of " + view.actor(key) + " is not complete yet and continues; table describe "
                        + view.table(key) + " shows its progress");
    }
}
