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
    final LeaderContext leader;
    private final Rebalancer rebalancer;
    private final TableName name;
    private final int number;
    private final long tableId;
    private final PendingAdminReply answer;
    private final RetryBudget retryBudget;

    /** @param what name of the request, for the error when its outcome is unknown */
    DesiredReplicasWriter(
            LeaderContext leader,
            Rebalancer rebalancer,
            Table table,
            int number,
            String what,
            PendingAdminReply answer) {
        this.leader = leader;
        this.rebalancer = rebalancer;
        this.name = table.meta.name();
        this.number = number;
        this.tableId = table.meta.tableId();
        this.answer = answer;
        retryBudget = new RetryBudget(
                leader,
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
            Table table = leader.catalog().stillThere(tableId, name);
            ActorState actor = table.actorAsked(number);
            if (table.busy || table.stale) {
                again();
            } else if (holds(table, actor)) {
                rebalancer.movedByHand(new ReplicaKey(tableId, number));
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
        rebalancer.writeByHand(table, new ReplicaKey(tableId, number), actors);
    }

    private void again() {
        leader.retryLater();
        retryBudget.again(this::step);
    }
}
