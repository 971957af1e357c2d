package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableMeta;
import io.uniserve.placement.ServerView;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Brings the replicas of an actor, of which none is missing, to where they are desired (docs/protocol.md, section 6): a learner, which
 * is certified and admitted as any other; then the primary hands over, if it is not desired; then the old replica is taken
 * off. Each step is decided from the actor's state alone, so that another leader goes on where this one ended. A failure
 * comes first: while a replica is missing nothing moves, and a move whose target fails is given up.
 */
final class ReassignmentStep {
    private final CoordinatorConfig config;
    private final ReplicaMonitor replicas;
    private final IntactReplicas intactReplicas;
    private final ClusterView view;
    private final long now;

    ReassignmentStep(
            CoordinatorConfig config,
            ReplicaMonitor replicas,
            IntactReplicas intactReplicas,
            ClusterView view,
            long now) {
        this.config = config;
        this.replicas = replicas;
        this.intactReplicas = intactReplicas;
        this.view = view;
        this.now = now;
    }

    /** Makes learners of desired servers that hold nothing yet. */
    void begin(ReplicaKey key, TableMeta meta, ActorStateBuilder draft, List<ServerView> eligible) {
        List<ServerId> good = draft.holders().stream()
                .filter(id -> !view.dead(id) && !view.draining(id))
                .toList();
        int wanted = view.wanted(meta, draft.copies(), draft.holders());
        if (good.size() < wanted || draft.takesOver() || draft.isr().stream().noneMatch(view::live)) {
            return;
        }
        for (ServerId target : draft.desired()) {
            if (draft.hosts(target)) {
                continue;
            }
            if (view.dead(target) || view.draining(target) || replicas.backsOff(key, target, now)) {
                draft.desire(instead(draft, good, wanted));
                return;
            }
            if (eligible.stream().anyMatch(server -> server.id().equals(target))
                    && view.learners(target) < config.learnersPerServer()) {
                draft.addLearner(target);
            }
        }
    }

    /** Where the actor stays when a move is given up: what is desired and there, then who is in sync, the primary first. */
    private static List<ServerId> instead(ActorStateBuilder draft, List<ServerId> good, int rf) {
        Stream<ServerId> wanted = draft.desired().stream().filter(good::contains);
        Stream<ServerId> primary = Stream.of(draft.primary()).filter(good::contains);
        return Stream.concat(Stream.concat(wanted, primary), good.stream())
                .distinct()
                .limit(rf)
                .toList();
    }

    /** Takes off what is not desired, only when everything else is well: all replicas live, none missing. */
    void finish(ReplicaKey key, TableMeta meta, ActorState actor, ActorStateBuilder draft) {
        int wanted = view.wanted(meta, draft.copies(), draft.holders());
        boolean well = draft.holders().stream().allMatch(id -> view.live(id) && !view.draining(id));
        if (!well || draft.isr().size() < wanted) {
            return;
        }
        draft.learners().stream()
                .filter(learner -> !draft.desired().contains(learner))
                .toList()
                .forEach(draft::dropLearner);
        if (draft.isr().size() == wanted && draft.isr().containsAll(draft.desired())) {
            // Some were not desired while their servers drained, which came back before others had taken their places.
            draft.desire(draft.desired().size() < wanted ? draft.isr() : draft.desired());
        }
        if (draft.hasNewEpoch() || draft.isr().size() <= wanted || !allWhole(key, actor, draft)) {
            return;
        }
        if (leads(draft) && !promoteDesired(key, actor, draft)) {
            return;
        }
        List<ServerId> others =
                draft.isr().stream().filter(id -> !id.equals(draft.primary())).toList();
        List<ServerId> undesired =
                others.stream().filter(id -> !draft.desired().contains(id)).toList();
        draft.expel(view.mostLoaded(undesired.isEmpty() ? others : undesired));
    }

    /** True when the primary is the one that has to go. */
    private static boolean leads(ActorStateBuilder draft) {
        return !draft.desired().contains(draft.primary()) && draft.isr().containsAll(draft.desired());
    }

    /** Promotes a desired member to which the primary hands over now; false where there is none yet. */
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

    private boolean allWhole(ReplicaKey key, ActorState actor, ActorStateBuilder draft) {
        boolean all = true;
        for (ServerId member : draft.isr()) {
            all &= intactReplicas.holds(key, actor, member);
        }
        return all;
    }
}
