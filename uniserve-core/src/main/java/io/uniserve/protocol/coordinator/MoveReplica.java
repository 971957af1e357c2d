package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.message.AdminRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writer of an operator's request to move a replica to another server. */
final class MoveReplica extends DesiredReplicasWriter {
    private static final Logger LOG = LoggerFactory.getLogger(MoveReplica.class);

    private final AdminRequest.MoveReplica move;

    MoveReplica(
            LeaderContext leader,
            Rebalancer rebalancer,
            Table table,
            AdminRequest.MoveReplica move,
            PendingAdminReply answer) {
        super(leader, rebalancer, table, move.actor(), "move", answer);
        this.move = move;
    }

    @Override
    boolean holds(Table table, ActorState actor) {
        return actor.desired().contains(move.to()) && !actor.desired().contains(move.from());
    }

    @Override
    ActorState wished(Table table, ActorState actor) {
        check(table, actor);
        LOG.info("{}: move requested from {} to {}", actorName(), move.from(), move.to());
        return ActorStateBuilder.moving(actor, move.from(), move.to());
    }

    private void check(Table table, ActorState actor) {
        if (move.from().equals(move.to())) {
            throw UniserveException.invalid("to: name a server other than from, " + move.from());
        }
        if (!actor.desired().contains(move.from())) {
            throw UniserveException.invalid(
                    "from: " + actorName() + " is not on " + move.from() + ", but on " + actor.desired());
        }
        if (actor.desired().contains(move.to())) {
            throw UniserveException.invalid("to: " + move.to() + " has a replica of " + actorName() + " already");
        }
        ServerRecord target = leader.live().stream()
                .filter(server -> server.id().equals(move.to()))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid(
                        "to: no live server has the id " + move.to() + ": see the status for live servers"));
        if (!ClusterView.offers(target, table.meta.port())) {
            throw UniserveException.invalid("to: " + move.to() + " does not offer port " + table.meta.port());
        }
        if (leader.usable().stream().noneMatch(server -> server.id().equals(move.to()))) {
            throw UniserveException.invalid("to: " + move.to() + " is being drained");
        }
        boolean back = actor.isr().contains(move.to());
        if (!back && (!actor.settled() || !actor.begun() || actor.isr().size() < table.meta.rf())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    actorName() + " is not settled: in sync " + actor.isr() + ", learning " + actor.learners()
                            + ", desired " + actor.desired() + ": wait until these are equal");
        }
    }
}
