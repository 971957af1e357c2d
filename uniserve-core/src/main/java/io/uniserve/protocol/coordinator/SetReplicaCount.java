package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writer of an operator's request for the number of replicas of one actor. More replicas than the table's rf are possible. */
final class SetReplicaCount extends DesiredReplicasWriter {
    private static final Logger LOG = LoggerFactory.getLogger(SetReplicaCount.class);

    private final AdminRequest.ReplicateActor wish;

    SetReplicaCount(
            LeaderContext leader,
            Rebalancer rebalancer,
            Table table,
            AdminRequest.ReplicateActor wish,
            PendingAdminReply answer) {
        super(leader, rebalancer, table, wish.actor(), "copies", answer);
        this.wish = wish;
    }

    @Override
    boolean holds(Table table, ActorState actor) {
        check(table.meta);
        return actor.copies() == copies(table.meta);
    }

    @Override
    ActorState wished(Table table, ActorState actor) {
        int wanted = Math.max(wish.copies(), table.meta.rf());
        List<ServerId> places =
                wanted > actor.desired().size() ? more(table.meta, actor, wanted) : fewer(actor, wanted);
        LOG.info("{}: {} replicas requested, on {}", actorName(), wanted, places);
        return ActorStateBuilder.replicated(actor, copies(table.meta), places);
    }

    private int copies(TableMeta meta) {
        return wish.copies() <= meta.rf() ? 0 : wish.copies();
    }

    private void check(TableMeta meta) {
        if (wish.copies() != 0 && (wish.copies() < meta.rf() || wish.copies() > Limits.REPLICATION_FACTOR_MAX)) {
            throw UniserveException.invalid("copies is " + wish.copies() + ": use " + meta.rf()
                    + ", the table's rf, to " + Limits.REPLICATION_FACTOR_MAX + ", or 0 for the table's rf");
        }
    }

    /** The desired servers, followed by servers that the placement policy prefers. */
    private List<ServerId> more(TableMeta meta, ActorState actor, int wanted) {
        ClusterView view = leader.view();
        List<ServerView> eligible = view.eligible(meta.port());
        if (wish.copies() > eligible.size()) {
            throw UniserveException.invalid("copies is " + wish.copies() + " but only " + eligible.size()
                    + " live servers that are not drained offer port " + meta.port());
        }
        return filled(view, actor.desired(), eligible, wanted);
    }

    /** The primary stays, then in-sync replicas, then learners. */
    private List<ServerId> fewer(ActorState actor, int wanted) {
        ClusterView view = leader.view();
        List<ServerId> inSync = actor.isr().stream()
                .filter(id -> view.live(id) && !view.draining(id))
                .toList();
        List<ServerId> stay = filled(view, List.of(actor.primary()), view.views(inSync), wanted);
        return filled(view, stay, view.views(actor.desired()), wanted);
    }

    private List<ServerId> filled(ClusterView view, List<ServerId> first, List<ServerView> from, int wanted) {
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
