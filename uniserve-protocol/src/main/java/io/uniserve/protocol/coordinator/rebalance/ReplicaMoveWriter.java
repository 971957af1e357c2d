package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.protocol.coordinator.failover.ActorStateBuilder;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.message.AdminRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writer of an operator's request to move a replica to another server. */
public final class ReplicaMoveWriter extends DesiredReplicasWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaMoveWriter.class);

    private final AdminRequest.MoveReplica move;

    public ReplicaMoveWriter(
            LeaderContext leader,
            Rebalancer rebalancer,
            Table table,
            AdminRequest.MoveReplica move,
            PendingAdminReply answer) {
        super(leader, rebalancer, table, move.actor(), "move", answer);
        this.move = move;
    }

    @Override
    boolean isApplied(Table table, ActorState actor) {
        return actor.desiredServers().contains(move.to())
                && !actor.desiredServers().contains(move.from());
    }

    @Override
    ActorState desiredState(Table table, ActorState actor) {
        check(table, actor);
        LOG.info("{}: move requested from {} to {}", actorName(), move.from(), move.to());
        return ActorStateBuilder.withMove(actor, move.from(), move.to());
    }

    private void check(Table table, ActorState actor) {
        if (move.from().equals(move.to())) {
            throw UniserveException.invalid("to: name a server other than from, " + move.from());
        }
        if (!actor.desiredServers().contains(move.from())) {
            throw UniserveException.invalid(
                    "from: " + actorName() + " is not on " + move.from() + ", but on " + actor.desiredServers());
        }
        if (actor.desiredServers().contains(move.to())) {
            throw UniserveException.invalid("to: " + move.to() + " has a replica of " + actorName() + " already");
        }
        ServerRecord target = leader.liveServers().stream()
                .filter(server -> server.id().equals(move.to()))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid(
                        "to: no live server has the id " + move.to() + ": see the status for live servers"));
        if (!ClusterView.offersPort(target, table.meta.port())) {
            throw UniserveException.invalid("to: " + move.to() + " does not offer port " + table.meta.port());
        }
        if (leader.usableServers().stream().noneMatch(server -> server.id().equals(move.to()))) {
            throw UniserveException.invalid("to: " + move.to() + " is being drained");
        }
        boolean back = actor.isr().contains(move.to());
        if (!back
                && (!actor.isOnDesiredServers()
                        || !actor.epochStarted()
                        || actor.isr().size() < table.meta.rf())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    actorName() + " is not settled: in sync " + actor.isr() + ", learning " + actor.learners()
                            + ", desired " + actor.desiredServers() + ": wait until these are equal");
        }
    }
}
