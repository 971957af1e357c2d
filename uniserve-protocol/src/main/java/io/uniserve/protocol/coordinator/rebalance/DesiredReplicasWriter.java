package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.TableName;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.coordinator.table.RetryBudget;
import io.uniserve.protocol.message.AdminReply;
import java.util.List;

/**
 * Writer of an operator's request for the replicas of one actor into the map. {@code ReassignmentStep} carries it out. It is idempotent.
 */
public abstract class DesiredReplicasWriter {
    final LeaderContext leader;
    private final Rebalancer rebalancer;
    private final TableName name;
    private final int number;
    private final long tableId;
    private final PendingAdminReply reply;
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
        this.reply = answer;
        retryBudget = new RetryBudget(
                leader,
                answer,
                "the registry did not confirm the " + what + " of " + actorName() + ": describe the table, then retry");
    }

    /** True when the map already has the request. */
    abstract boolean isApplied(Table table, ActorState actor);

    /** The actor with the request applied; throws an error if it is impossible. */
    abstract ActorState desiredState(Table table, ActorState actor);

    public void start() {
        step();
    }

    final String actorName() {
        return name + "/" + number;
    }

    private void step() {
        if (!reply.isOpen()) {
            return;
        }
        try {
            Table table = leader.catalog().requireTable(tableId, name);
            ActorState actor = table.requireActor(number);
            if (table.writePending || table.stale) {
                retry();
            } else if (isApplied(table, actor)) {
                rebalancer.onManualMove(new ReplicaKey(tableId, number));
                reply.ok(new AdminReply.Ack());
            } else {
                write(table, desiredState(table, actor));
                retry();
            }
        } catch (UniserveException refused) {
            reply.fail(refused);
        }
    }

    private void write(Table table, ActorState wished) {
        List<ActorState> actors =
                table.map().withActor(number, unused -> wished).actors();
        rebalancer.writeManualMove(table, new ReplicaKey(tableId, number), actors);
    }

    private void retry() {
        leader.retryLater();
        retryBudget.retry(this::step);
    }
}
