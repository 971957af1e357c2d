package io.uniserve.protocol.coordinator;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the wish that an actor have more replicas than its table's rf, as for a range that many queries ask, or no longer so
 * many, and where they are to be; {@link Movement} does the rest. Asked again it changes nothing.
 */
final class Replicator {
    private static final Logger LOG = LoggerFactory.getLogger(Replicator.class);

    private final Reign reign;
    private final long tableId;
    private final AdminRequest.ReplicateActor wish;
    private final AdminDesk.Answer answer;
    private final Attempts attempts;

    Replicator(Reign reign, long tableId, AdminRequest.ReplicateActor wish, AdminDesk.Answer answer) {
        this.reign = reign;
        this.tableId = tableId;
        this.wish = wish;
        this.answer = answer;
        attempts = new Attempts(
                reign,
                answer,
                "the registry did not confirm the copies of " + what() + ": describe the table, ask again");
    }

    void start() {
        step();
    }

    private void step() {
        if (!answer.isOpen()) {
            return;
        }
        try {
            Table table = reign.catalog().stillThere(tableId, wish.name());
            ActorState actor = table.actorAsked(wish.actor());
            check(table.meta);
            int copies = wish.copies() <= table.meta.rf() ? 0 : wish.copies();
            if (table.busy || table.stale) {
                again();
            } else if (actor.copies() == copies) {
                reign.rebalancer().movedByHand(new ReplicaKey(tableId, wish.actor()));
                answer.ok(new AdminReply.Ack());
            } else {
                write(table, actor, copies);
                again();
            }
        } catch (UniserveException refused) {
            answer.fail(refused);
        }
    }

    private void again() {
        reign.retryLater();
        attempts.again(this::step);
    }

    private String what() {
        return wish.name() + "/" + wish.actor();
    }

    private void check(TableMeta meta) {
        if (wish.copies() != 0 && (wish.copies() < meta.rf() || wish.copies() > Limits.REPLICATION_FACTOR_MAX)) {
            throw UniserveException.invalid("copies is " + wish.copies() + ": use " + meta.rf()
                    + ", the table's rf, to " + Limits.REPLICATION_FACTOR_MAX + ", or 0 for the table's rf");
        }
    }

    private void write(Table table, ActorState actor, int copies) {
        int wanted = Math.max(copies, table.meta.rf());
        List<ServerId> places =
                wanted > actor.desired().size() ? more(table.meta, actor, wanted) : fewer(actor, wanted);
        List<ActorState> actors = new ArrayList<>(table.map().actors());
        actors.set(wish.actor(), ActorDraft.replicated(actor, copies, places));
        reign.rebalancer().movedByHand(new ReplicaKey(tableId, wish.actor()));
        LOG.info("{} is to have {} replicas, on {}", what(), wanted, places);
        reign.reconciler().write(table, actors, List.of());
    }

    /** Where they are desired already, then the servers that placement prefers. */
    private List<ServerId> more(TableMeta meta, ActorState actor, int wanted) {
        ClusterView view = reign.view();
        List<ServerView> eligible = view.eligible(meta.port());
        if (wish.copies() > eligible.size()) {
            throw UniserveException.invalid("copies is " + wish.copies() + " but only " + eligible.size()
                    + " live servers that are not drained offer port " + meta.port());
        }
        return filled(view, actor.desired(), eligible, wanted);
    }

    /** The primary stays, then who is in sync, then who learns. */
    private List<ServerId> fewer(ActorState actor, int wanted) {
        ClusterView view = reign.view();
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
            var next = reign.placement().replacement(left, view.views(chosen));
            if (next.isEmpty()) {
                break;
            }
            chosen.add(next.get());
        }
        return chosen;
    }
}
