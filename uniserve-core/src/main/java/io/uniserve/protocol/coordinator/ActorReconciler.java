package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.placement.ServerView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decision function for one actor: computes its next row of the map from its current row, reports and liveness. It changes nothing itself.
 * The same inputs give the same result, so a decision that was not written is simply repeated.
 *
 * <p>Order of the checks:
 * <ol>
 * <li>Cancel a takeover that has not started, when an intact former in-sync member is back.
 * <li>Remove replicas that are fenced from the fencing list.
 * <li>Admit certified learners. This precedes the removal of failed replicas, because a certified learner has every acknowledged entry.
 * <li>Remove dead and unhealthy replicas while a live intact in-sync replica remains.
 * <li>Empty draining servers.
 * <li>Add missing replicas.
 * <li>Move replicas to their desired servers, and remove extra ones.
 * <li>Give a new epoch to a primary that can log nothing more in its epoch.
 * </ol>
 *
 * <p>The epoch grows by at most one per step.
 */
final class ActorReconciler {
    private final CoordinatorConfig config;
    private final PlacementPolicy placement;
    private final ReplicaMonitor replicas;
    private final IntactReplicas intactReplicas;
    private final ClusterView view;
    private final long now;
    private final ReassignmentStep reassignmentStep;

    ActorReconciler(
            CoordinatorConfig config,
            PlacementPolicy placement,
            ReplicaMonitor replicas,
            IntactReplicas intactReplicas,
            ClusterView view,
            long now) {
        this.config = config;
        this.placement = placement;
        this.replicas = replicas;
        this.intactReplicas = intactReplicas;
        this.view = view;
        this.now = now;
        reassignmentStep = new ReassignmentStep(config, replicas, intactReplicas, view, now);
    }

    ActorState decide(TableMeta meta, ActorState actor) {
        ReplicaKey key = new ReplicaKey(meta.tableId(), actor.actor());
        if (well(key, meta, actor)) {
            return actor;
        }
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        ServerId returned = returned(key, actor);
        if (returned != null) {
            draft.reinstate(returned);
            return draft.result();
        }
        if (replicas.isBegun(key, actor)) {
            draft.begin();
        }
        draft.pruneFencing(entry -> replicas.isFenced(key, actor, entry));
        admitCertified(key, actor, draft);
        if (!draft.hasNewEpoch()) {
            removeFailed(key, actor, draft);
        }
        List<ServerView> eligible = view.eligible(meta.port());
        if (!draft.hasNewEpoch()) {
            drain(key, meta, actor, draft, eligible.size());
        }
        restore(key, meta, draft, eligible);
        if (!draft.hasNewEpoch()) {
            reassignmentStep.begin(key, meta, draft, eligible);
            reassignmentStep.finish(key, meta, actor, draft);
        }
        if (!draft.hasNewEpoch() && replicas.isSpent(key, actor)) {
            draft.renew();
        }
        return draft.result();
    }

    /** The intact live member of the in-sync set before the pending takeover, or null if there is none yet. */
    private @Nullable ServerId returned(ReplicaKey key, ActorState actor) {
        ServerId found = null;
        for (ServerId id : actor.former().isr()) {
            if (view.live(id) && replicas.mayReturn(key, actor, id, now) && intactReplicas.wasInSync(key, actor, id)) {
                found = found == null || view.draining(found) ? id : found;
            }
        }
        return found;
    }

    /** Shortcut for the usual case of an actor without work to do: it must be cheap, as it runs for every actor at every tick. */
    private boolean well(ReplicaKey key, TableMeta meta, ActorState actor) {
        return actor.begun()
                && actor.settled()
                && actor.fencing().isEmpty()
                && actor.isr().size() == view.wanted(meta, actor.copies(), actor.isr())
                && replicas.isQuiet(key)
                && actor.isr().stream().allMatch(id -> view.live(id) && !view.draining(id));
    }

    private void admitCertified(ReplicaKey key, ActorState actor, ActorStateBuilder draft) {
        for (ServerId learner : actor.learners()) {
            if (replicas.isCertified(key, actor, learner, view.incarnation(learner))
                    && !replicas.isUnfit(key, actor, learner, now)) {
                draft.admit(learner);
            }
        }
    }

    /**
     * Removes dead and unhealthy replicas, and promotes another member if the primary is among them. Does nothing unless a live member
     * remains whose server reports it as intact. Without one the actor waits: the first member that returns intact has every acknowledged
     * entry.
     */
    private void removeFailed(ReplicaKey key, ActorState actor, ActorStateBuilder draft) {
        List<ServerId> kept = actor.isr().stream()
                .filter(id -> !view.dead(id) && !replicas.isUnfit(key, actor, id, now))
                .toList();
        boolean learnersFail =
                actor.learners().stream().anyMatch(id -> view.dead(id) || replicas.isUnfit(key, actor, id, now));
        if (kept.size() == actor.isr().size() && !learnersFail) {
            return;
        }
        List<ServerId> live = kept.stream()
                .filter(id -> view.live(id) && intactReplicas.holds(key, actor, id))
                .toList();
        if (live.isEmpty()) {
            return;
        }
        if (!kept.contains(actor.primary())) {
            List<ServerId> staying =
                    live.stream().filter(id -> !view.draining(id)).toList();
            draft.promote(view.leastLoadedPrimary(staying.isEmpty() ? live : staying));
        }
        for (ServerId member : actor.isr()) {
            if (!kept.contains(member)) {
                draft.expel(member);
            }
        }
        for (ServerId learner : actor.learners()) {
            if (view.dead(learner) || replicas.isUnfit(key, actor, learner, now)) {
                draft.dropLearner(learner);
            }
        }
    }

    /**
     * Moves replicas off draining servers. A primary moves once it reports a successor with its whole log. In-sync replicas leave once
     * enough others are in sync.
     */
    private void drain(ReplicaKey key, TableMeta meta, ActorState actor, ActorStateBuilder draft, int eligible) {
        List<ServerId> leaving = draft.holders().stream().filter(view::draining).toList();
        if (leaving.isEmpty()) {
            return;
        }
        List<ServerId> staying = draft.isr().stream()
                .filter(id -> view.live(id) && !view.draining(id) && intactReplicas.holds(key, actor, id))
                .toList();
        if (staying.isEmpty() && draft.isr().stream().noneMatch(view::live)) {
            return;
        }
        leaving.stream().filter(draft.learners()::contains).toList().forEach(draft::dropLearner);
        if (staying.isEmpty()) {
            return;
        }
        if (leaving.contains(draft.primary())) {
            List<ServerId> ready = new ArrayList<>(replicas.successors(key, actor, now));
            ready.retainAll(staying);
            if (ready.isEmpty()) {
                return;
            }
            draft.promote(view.leastLoadedPrimary(ready));
        }
        boolean ends = leaving.stream().allMatch(view::leaving); // else wait for the replacement
        if (staying.size() >= (ends ? Math.min(meta.rf(), Math.max(1, eligible)) : wanted(meta, draft))) {
            leaving.stream().filter(draft.isr()::contains).toList().forEach(draft::expel);
        }
    }

    private int wanted(TableMeta meta, ActorStateBuilder draft) {
        return view.wanted(meta, draft.copies(), draft.holders());
    }

    private void restore(ReplicaKey key, TableMeta meta, ActorStateBuilder draft, List<ServerView> eligible) {
        List<ServerId> good = draft.holders().stream()
                .filter(id -> !view.dead(id) && !view.draining(id))
                .toList();
        int wanted = wanted(meta, draft);
        boolean missing = good.size() < wanted;
        long missingNanos = replicas.missingNanos(key, missing, now);
        if (!missing || draft.isr().stream().noneMatch(view::live) || draft.takesOver()) {
            return;
        }
        List<ServerView> candidates = eligible.stream()
                .filter(s -> !draft.hosts(s.id())
                        && view.learners(s.id()) < config.learnersPerServer()
                        && !replicas.backsOff(key, s.id(), now))
                .toList();
        List<ServerView> sound = candidates.stream()
                .filter(s -> !replicas.keepsFailing(key, s.id()))
                .toList();
        List<ServerView> returned =
                sound.stream().filter(s -> draft.desired().contains(s.id())).toList();
        boolean drains = draft.holders().stream().anyMatch(view::draining);
        List<ServerView> choice = returned;
        if (returned.isEmpty()) {
            if (!drains && missingNanos < config.restoreDelayNanos()) {
                return;
            }
            choice = sound.isEmpty() ? candidates : sound;
        }
        placement.replacement(choice, view.views(good)).ifPresent(server -> {
            draft.addLearner(server);
            Stream<ServerId> others = eligible.stream().map(ServerView::id).filter(draft.desired()::contains);
            draft.desire(Stream.of(good.stream(), Stream.of(server), others)
                    .flatMap(ids -> ids)
                    .distinct()
                    .limit(wanted)
                    .toList());
        });
    }

    /**
     * The actor after a takeover from durable storage. The new primary is on a server that did not lose the actor, if there is one. Returns
     * the actor unchanged if no server is eligible.
     */
    ActorState takeOver(TableMeta meta, ActorState actor) {
        List<ServerView> eligible = view.eligible(meta.port());
        List<ServerView> others =
                eligible.stream().filter(s -> !actor.isr().contains(s.id())).toList();
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        placement.replacement(others.isEmpty() ? eligible : others, List.of()).ifPresent(draft::takeOver);
        return draft.result();
    }
}
