package io.uniserve.protocol.coordinator.failover;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.PlacementPolicy;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.ReplicaMonitor;
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
    private final IntactReplicaTracker intactReplicas;
    private final ClusterView view;
    private final long now;
    private final ReassignmentStep reassignmentStep;

    ActorReconciler(
            CoordinatorConfig config,
            PlacementPolicy placement,
            ReplicaMonitor replicas,
            IntactReplicaTracker intactReplicas,
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
        if (needsNoWork(key, meta, actor)) {
            return actor;
        }
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        ServerId returned = returnedMember(key, actor);
        if (returned != null) {
            draft.cancelTakeover(returned);
            return draft.build();
        }
        if (replicas.isEpochStarted(key, actor)) {
            draft.markEpochStarted();
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
        addMissingReplicas(key, meta, draft, eligible);
        if (!draft.hasNewEpoch()) {
            reassignmentStep.addLearners(key, meta, draft, eligible);
            reassignmentStep.removeUndesired(key, meta, actor, draft);
        }
        if (!draft.hasNewEpoch() && replicas.needsNewEpoch(key, actor)) {
            draft.startNewEpoch();
        }
        return draft.build();
    }

    /** The intact live member of the in-sync set before the pending takeover, or null if there is none yet. */
    private @Nullable ServerId returnedMember(ReplicaKey key, ActorState actor) {
        ServerId found = null;
        for (ServerId id : actor.previousIsr().isr()) {
            if (view.isLive(id)
                    && replicas.mayCancelTakeover(key, actor, id, now)
                    && intactReplicas.wasInSync(key, actor, id)) {
                found = found == null || view.isDraining(found) ? id : found;
            }
        }
        return found;
    }

    /** Shortcut for the usual case of an actor without work to do: it must be cheap, as it runs for every actor at every tick. */
    private boolean needsNoWork(ReplicaKey key, TableMeta meta, ActorState actor) {
        return actor.epochStarted()
                && actor.isOnDesiredServers()
                && actor.fencing().isEmpty()
                && actor.isr().size() == view.wantedReplicas(meta, actor.requestedReplicas(), actor.isr())
                && replicas.isQuiet(key)
                && actor.isr().stream().allMatch(id -> view.isLive(id) && !view.isDraining(id));
    }

    private void admitCertified(ReplicaKey key, ActorState actor, ActorStateBuilder draft) {
        for (ServerId learner : actor.learners()) {
            if (replicas.isCertified(key, actor, learner, view.incarnation(learner))
                    && !replicas.isUnhealthy(key, actor, learner, now)) {
                draft.addToIsr(learner);
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
                .filter(id -> !view.isDead(id) && !replicas.isUnhealthy(key, actor, id, now))
                .toList();
        boolean learnersFail =
                actor.learners().stream().anyMatch(id -> view.isDead(id) || replicas.isUnhealthy(key, actor, id, now));
        if (kept.size() == actor.isr().size() && !learnersFail) {
            return;
        }
        List<ServerId> live = kept.stream()
                .filter(id -> view.isLive(id) && intactReplicas.isIntact(key, actor, id))
                .toList();
        if (live.isEmpty()) {
            return;
        }
        if (!kept.contains(actor.primary())) {
            List<ServerId> staying =
                    live.stream().filter(id -> !view.isDraining(id)).toList();
            draft.promote(view.leastLoadedPrimary(staying.isEmpty() ? live : staying));
        }
        for (ServerId member : actor.isr()) {
            if (!kept.contains(member)) {
                draft.removeFromIsr(member);
            }
        }
        for (ServerId learner : actor.learners()) {
            if (view.isDead(learner) || replicas.isUnhealthy(key, actor, learner, now)) {
                draft.dropLearner(learner);
            }
        }
    }

    /**
     * Moves replicas off draining servers. A primary moves once it reports a successor with its whole log. In-sync replicas leave once
     * enough others are in sync.
     */
    private void drain(ReplicaKey key, TableMeta meta, ActorState actor, ActorStateBuilder draft, int eligible) {
        List<ServerId> leaving =
                draft.holders().stream().filter(view::isDraining).toList();
        if (leaving.isEmpty()) {
            return;
        }
        List<ServerId> staying = draft.isr().stream()
                .filter(id -> view.isLive(id) && !view.isDraining(id) && intactReplicas.isIntact(key, actor, id))
                .toList();
        if (staying.isEmpty() && draft.isr().stream().noneMatch(view::isLive)) {
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
        boolean ends = leaving.stream().allMatch(view::isLeaving); // else wait for the replacement
        if (staying.size() >= (ends ? Math.min(meta.rf(), Math.max(1, eligible)) : wantedReplicas(meta, draft))) {
            leaving.stream().filter(draft.isr()::contains).toList().forEach(draft::removeFromIsr);
        }
    }

    private int wantedReplicas(TableMeta meta, ActorStateBuilder draft) {
        return view.wantedReplicas(meta, draft.requestedReplicas(), draft.holders());
    }

    private void addMissingReplicas(
            ReplicaKey key, TableMeta meta, ActorStateBuilder draft, List<ServerView> eligible) {
        List<ServerId> good = draft.holders().stream()
                .filter(id -> !view.isDead(id) && !view.isDraining(id))
                .toList();
        int wanted = wantedReplicas(meta, draft);
        boolean missing = good.size() < wanted;
        long missingNanos = replicas.missingNanos(key, missing, now);
        if (!missing || draft.isr().stream().noneMatch(view::isLive) || draft.isTakeoverPending()) {
            return;
        }
        List<ServerView> candidates = eligible.stream()
                .filter(s -> !draft.hosts(s.id())
                        && view.learners(s.id()) < config.learnersPerServer()
                        && !replicas.isBackingOff(key, s.id(), now))
                .toList();
        List<ServerView> sound = candidates.stream()
                .filter(s -> !replicas.hasFailedRepeatedly(key, s.id()))
                .toList();
        List<ServerView> returned =
                sound.stream().filter(s -> draft.desired().contains(s.id())).toList();
        boolean drains = draft.holders().stream().anyMatch(view::isDraining);
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
            draft.setDesired(Stream.of(good.stream(), Stream.of(server), others)
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
        return draft.build();
    }
}
