package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.message.AdminReply;
import java.util.ArrayList;
import java.util.List;

/**
 * Writer of an operator's request for the replicas of one actor into the map. {@link ReassignmentStep} carries it out. It is idempotent.
 */
abstract class DesiredReplicasWriter {
    final LeaderTerm reign;
    private final TableName name;
    private final int number;
    private final long tableId;
    private final AdminHandler.Answer answer;
    private final RetryBudget retryBudget;

    /** @param what name of the request, for the error when its outcome is unknown */
    DesiredReplicasWriter(LeaderTerm leaderTerm, Table table, int number, String what, AdminHandler.Answer answer) {
        this.reign = leaderTerm;
        this.name = table.meta.name();
        this.number = number;
        this.tableId = table.meta.tableId();
        this.answer = answer;
        retryBudget = new RetryBudget(
                leaderTerm,
                answer,
                "the registry did not confirm the " + what + " of " + actorName() + ": describe the table, then retry");
    }

    /** True when the map already has the request. */
    abstract boolean holds(Table table, ActorState actor);

    /** The actor with the request applied; throws an error if it is impossible. */
    abstract ActorState wished(Table table, ActorState actor);

    void start() {
        step();
    }

    final String actorName() {
        return name + "/" + number;
    }

    private void step() {
        if (!answer.isOpen()) {
            return;
        }
        try {
            Table table = reign.catalog().stillThere(tableId, name);
            ActorState actor = table.actorAsked(number);
            if (table.busy || table.stale) {
                again();
            } else if (holds(table, actor)) {
                reign.rebalancer().movedByHand(new ReplicaKey(tableId, number));
                answer.ok(new AdminReply.Ack());
            } else {
                write(table, wished(table, actor));
                again();
            }
        } catch (UniserveException refused) {
            answer.fail(refused);
        }
    }

    private void write(Table table, ActorState wished) {
        List<ActorState> actors = new ArrayList<>(table.map().actors());
        actors.set(number, wished);
        reign.rebalancer().movedByHand(new ReplicaKey(tableId, number));
        reign.reconciler().write(table, actors, List.of());
    }

    private void again() {
        reign.retryLater();
        retryBudget.again(this::step);
    }
}
