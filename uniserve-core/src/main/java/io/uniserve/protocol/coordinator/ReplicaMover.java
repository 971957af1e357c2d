package io.uniserve.protocol.coordinator;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerRecord;
import io.uniserve.protocol.coordinator.CatalogManager.Table;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records the wish that a replica be elsewhere; {@link Movement} does the rest. Asked again it changes nothing. */
final class ReplicaMover {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaMover.class);

    private final Reign reign;
    private final long tableId;
    private final AdminRequest.MoveReplica move;
    private final AdminDesk.Answer answer;
    private final Attempts attempts;

    ReplicaMover(Reign reign, long tableId, AdminRequest.MoveReplica move, AdminDesk.Answer answer) {
        this.reign = reign;
        this.tableId = tableId;
        this.move = move;
        this.answer = answer;
        attempts = new Attempts(
                reign,
                answer,
                "the registry did not confirm the move of " + what() + ": describe the table, ask again");
    }

    void start() {
        step();
    }

    private void step() {
        if (!answer.isOpen()) {
            return;
        }
        try {
            Table table = reign.catalog().stillThere(tableId, move.name());
            if (table.busy || table.stale) {
                again();
            } else if (wished(table.actorAsked(move.actor()))) {
                reign.rebalancer().movedByHand(new ReplicaKey(tableId, move.actor()));
                answer.ok(new AdminReply.Ack());
            } else {
                write(table);
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

    private boolean wished(ActorState actor) {
        return actor.desired().contains(move.to()) && !actor.desired().contains(move.from());
    }

    private String what() {
        return move.name() + "/" + move.actor();
    }

    private void write(Table table) {
        ActorState actor = table.actorAsked(move.actor());
        check(table, actor);
        List<ActorState> actors = new ArrayList<>(table.map().actors());
        actors.set(move.actor(), ActorDraft.moving(actor, move.from(), move.to()));
        reign.rebalancer().movedByHand(new ReplicaKey(tableId, move.actor()));
        LOG.info("{} is to move from {} to {}", what(), move.from(), move.to());
        reign.reconciler().write(table, actors, List.of());
    }

    private void check(Table table, ActorState actor) {
        if (move.from().equals(move.to())) {
            throw UniserveException.invalid("to: a replica moves to another server than " + move.from());
        }
        if (!actor.desired().contains(move.from())) {
            throw UniserveException.invalid(
                    "from: " + what() + " is not on " + move.from() + ", but on " + actor.desired());
        }
        if (actor.desired().contains(move.to())) {
            throw UniserveException.invalid("to: " + move.to() + " has a replica of " + what() + " already");
        }
        ServerRecord target = reign.live().stream()
                .filter(server -> server.id().equals(move.to()))
                .findFirst()
                .orElseThrow(() -> UniserveException.invalid(
                        "to: no live server is called " + move.to() + "; status lists those there are"));
        if (!ClusterView.offers(target, table.meta.port())) {
            throw UniserveException.invalid("to: " + move.to() + " does not offer port " + table.meta.port());
        }
        if (reign.usable().stream().noneMatch(server -> server.id().equals(move.to()))) {
            throw UniserveException.invalid("to: " + move.to() + " is being drained");
        }
        boolean back = actor.isr().contains(move.to());
        if (!back && (!Movement.settled(actor) || !actor.begun() || actor.isr().size() < table.meta.rf())) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    what() + " is being moved or mended: in sync " + actor.isr() + ", learning " + actor.learners()
                            + ", desired " + actor.desired() + "; wait until these are the same");
        }
    }
}
