package io.uniserve.protocol.coordinator.rebalance;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.coordinator.failover.ActorStateBuilder;
import io.uniserve.protocol.coordinator.metadata.CatalogManager.Table;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.LeaderContext;
import io.uniserve.protocol.coordinator.metadata.PendingAdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writer of an operator's request for the number of replicas of one actor. More replicas than the table's rf are possible. */
public final class ReplicaCountWriter extends DesiredReplicasWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaCountWriter.class);

    private final AdminRequest.ReplicateActor request;

    public ReplicaCountWriter(
            LeaderContext leader,
            Rebalancer rebalancer,
            Table table,
            AdminRequest.ReplicateActor wish,
            PendingAdminReply answer) {
        super(leader, rebalancer, table, wish.actor(), "copies", answer);
        this.request = wish;
    }

    @Override
    boolean isApplied(Table table, ActorState actor) {
        check(table.meta);
        return actor.copies() == requestedReplicas(table.meta);
    }

    @Override
    ActorState desiredState(Table table, ActorState actor) {
        int wanted = Math.max(Math.max(request.replicas(), actor.automaticCopies()), table.meta.rf());
        List<ServerId> places =
                wanted > actor.desiredServers().size() ? growTo(table.meta, actor, wanted) : shrinkTo(actor, wanted);
        LOG.info("{}: {} replicas requested, on {}", actorName(), wanted, places);
        return ActorStateBuilder.withReplicas(actor, requestedReplicas(table.meta), places);
    }

    private int requestedReplicas(TableMeta meta) {
        return request.replicas() <= meta.rf() ? 0 : request.replicas();
    }

    private void check(TableMeta meta) {
        if (request.replicas() != 0
                && (request.replicas() < meta.rf() || request.replicas() > Limits.REPLICATION_FACTOR_MAX)) {
            throw UniserveException.invalid("copies is " + request.replicas() + ": use " + meta.rf()
                    + ", the table's rf, to " + Limits.REPLICATION_FACTOR_MAX + ", or 0 for the table's rf");
        }
    }

    /** The desired servers, followed by servers that the placement policy prefers. */
    private List<ServerId> growTo(TableMeta meta, ActorState actor, int wanted) {
        ClusterView view = leader.clusterView();
        List<ServerView> eligible = view.eligible(meta.port());
        if (request.replicas() > eligible.size()) {
            throw UniserveException.invalid("copies is " + request.replicas() + " but only " + eligible.size()
                    + " live servers that are not drained offer port " + meta.port());
        }
        return fillUp(view, actor.desiredServers(), eligible, wanted);
    }

    /** The primary stays, then in-sync replicas, then learners. */
    private List<ServerId> shrinkTo(ActorState actor, int wanted) {
        ClusterView view = leader.clusterView();
        List<ServerId> inSync = actor.isr().stream()
                .filter(id -> view.isLive(id) && !view.isDraining(id))
                .toList();
        List<ServerId> stay = fillUp(view, List.of(actor.primary()), view.views(inSync), wanted);
        return fillUp(view, stay, view.views(actor.desiredServers()), wanted);
    }

    private List<ServerId> fillUp(ClusterView view, List<ServerId> first, List<ServerView> from, int wanted) {
        List<ServerId> chosen = new ArrayList<>(first);
        while (chosen.size() < wanted) {
            List<ServerView> left = from.stream()
                    .filter(server -> !chosen.contains(server.id()))
                    .toList();
            var next = leader.placement().replacement(left, view.views(chosen));
            if (next.isEmpty()) {
                break;
            }
            chosen.add(next.get());
        }
        return chosen;
    }
}
