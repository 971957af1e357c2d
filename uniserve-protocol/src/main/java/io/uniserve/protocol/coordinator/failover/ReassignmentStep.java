package io.uniserve.protocol.coordinator.failover;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.placement.ServerView;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import io.uniserve.protocol.coordinator.metadata.ReplicaMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One step that moves an actor's replicas to its desired servers (docs/protocol.md, section 6). A desired server first gets a learner,
 * which is certified and admitted as usual. Then the primary hands over if it is not desired. Then the old replica is removed. Each step
 * follows from the actor's state alone, so another leader continues it. Failures take precedence: nothing moves while a replica is missing,
 * and a move with a failed target is given up.
 */
final class ReassignmentStep {
    private final CoordinatorConfig config;
    private final ReplicaMonitor replicas;
    private final IntactReplicaTracker intactReplicas;
    private final ClusterView view;
    private final long now;

    ReassignmentStep(
            CoordinatorConfig config,
            ReplicaMonitor replicas,
            IntactReplicaTracker intactReplicas,
            ClusterView view,
            long now) {
        this.config = config;
        this.replicas = replicas;
        this.intactReplicas = intactReplicas;
        this.view = view;
        this.now = now;
    }

    /** Adds learners on desired servers without a replica. */
    void addLearners(ReplicaKey key, TableMeta meta, ActorStateBuilder draft, List<ServerView> eligible) {
        List<ServerId> good = draft.holders().stream()
                .filter(id -> !view.isDead(id) && !view.isDraining(id))
                .toList();
        int wanted = view.wantedReplicas(meta, draft.requestedReplicas(), draft.holders());
        if (good.size() < wanted
                || draft.isTakeoverPending()
                || draft.isr().stream().noneMatch(view::isLive)) {
            return;
        }
        for (ServerId target : draft.desired()) {
            if (draft.hosts(target)) {
                continue;
            }
            if (view.isDead(target) || view.isDraining(target) || replicas.isBackingOff(key, target, now)) {
                draft.setDesired(fallbackDesired(draft, good, wanted));
                return;
            }
            if (eligible.stream().anyMatch(server -> server.id().equals(target))
                    && view.learners(target) < config.learnersPerServer()) {
                draft.addLearner(target);
            }
        }
    }

    /** The desired servers after a move is given up: first the live desired holders, then the primary, then the other live holders. */
    private static List<ServerId> fallbackDesired(ActorStateBuilder draft, List<ServerId> good, int rf) {
        Stream<ServerId> wanted = draft.desired().stream().filter(good::contains);
        Stream<ServerId> primary = Stream.of(draft.primary()).filter(good::contains);
        return Stream.concat(Stream.concat(wanted, primary), good.stream())
                .distinct()
                .limit(rf)
                .toList();
    }

    /** Removes undesired replicas. Does so only when all replicas are live and none is missing. */
    void removeUndesired(ReplicaKey key, TableMeta meta, ActorState actor, ActorStateBuilder draft) {
        int wanted = view.wantedReplicas(meta, draft.requestedReplicas(), draft.holders());
        boolean well = draft.holders().stream().allMatch(id -> view.isLive(id) && !view.isDraining(id));
        if (!well || draft.isr().size() < wanted) {
            return;
        }
        draft.learners().stream()
                .filter(learner -> !draft.desired().contains(learner))
                .toList()
                .forEach(draft::dropLearner);
        if (draft.isr().size() == wanted && draft.isr().containsAll(draft.desired())) {
            // the desired list may lack servers that returned from a drain before others replaced them
            draft.setDesired(draft.desired().size() < wanted ? draft.isr() : draft.desired());
        }
        if (draft.hasNewEpoch() || draft.isr().size() <= wanted || !areAllIntact(key, actor, draft)) {
            return;
        }
        if (mustPrimaryLeave(draft) && !promoteDesired(key, actor, draft)) {
            return;
        }
        List<ServerId> others =
                draft.isr().stream().filter(id -> !id.equals(draft.primary())).toList();
        List<ServerId> undesired =
                others.stream().filter(id -> !draft.desired().contains(id)).toList();
        draft.removeFromIsr(view.mostLoaded(undesired.isEmpty() ? others : undesired));
    }

    /** True when the primary must leave. */
    private static boolean mustPrimaryLeave(ActorStateBuilder draft) {
        return !draft.desired().contains(draft.primary()) && draft.isr().containsAll(draft.desired());
    }

    /** Promotes a desired member that has the primary's whole log; returns false if there is none yet. */
    private boolean promoteDesired(ReplicaKey key, ActorState actor, ActorStateBuilder draft) {
        List<ServerId> ready = new ArrayList<>(replicas.successors(key, actor, now));
        ready.retainAll(draft.desired());
        ready.retainAll(draft.isr());
        if (ready.isEmpty()) {
            return false;
        }
        draft.promote(view.leastLoadedPrimary(ready));
        return true;
    }

    private boolean areAllIntact(ReplicaKey key, ActorState actor, ActorStateBuilder draft) {
        boolean all = true;
        for (ServerId member : draft.isr()) {
            all &= intactReplicas.isIntact(key, actor, member);
        }
        return all;
    }
}
