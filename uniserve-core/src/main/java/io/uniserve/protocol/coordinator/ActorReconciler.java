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
 * Decides an actor's next state from what is and what should be. It changes nothing itself; the same inputs give the same
 * answer, so a decision that was not written is simply taken again.
 *
 * <p>Order: end a takeover that has not begun when somebody returns who was in sync before it; forget fenced replicas; admit a certified learner (before failures are looked at: once certified, every
 * acknowledged entry is on the learner too); take dead and unfit replicas off while a live in-sync one remains; empty
 * draining servers; add missing replicas; move replicas to where they are desired, and take extra ones off; give a primary that
 * logs nothing more in its epoch the next one. At most one growth of the epoch a step.
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

    /** A whole replica that was in sync before the takeover under way; null where there is none, or none yet. */
    private @Nullable ServerId returned(ReplicaKey key, ActorState actor) {
        ServerId found = null;
        for (ServerId id : actor.former().isr()) {
            if (view.live(id) && replicas.mayReturn(key, actor, id, now) && intactReplicas.wasInSync(key, actor, id)) {
                found = found == null || view.draining(found) ? id : found;
            }
        }
        return found;
    }

    /** The usual case, which must cost next to nothing. */
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
     * Nothing is taken off, and nobody promoted, but for the sake of a live member that its server vouches for. With none
     * left the actor waits: who comes back first with whole files has every acknowledged entry.
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
     * Moves primaries off a draining server as soon as the primary has handed over, its in-sync replicas when enough others
     * are in sync.
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
        boolean ends = leaving.stream().allMatch(view::leaving); // else there is time to keep rf
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
     * Where a lost actor starts again from durable storage: another server than those that lost it, if there is one; the
     * actor itself where no server can take it.
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
