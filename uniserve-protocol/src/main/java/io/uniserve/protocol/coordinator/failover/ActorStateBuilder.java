package io.uniserve.protocol.coordinator.failover;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Builder of an actor's next row in the map. It enforces the rules that connect epoch, in-sync set and fencing. */
public final class ActorStateBuilder {
    private final ActorState before;
    private final List<Fencing> fencing;
    private final List<ServerId> isr;
    private final List<ServerId> learners;
    private List<ServerId> desired;
    private ServerId primary;
    private long restoreEpoch;
    private boolean epochStarted;
    private PreviousIsr previousIsr;
    private final Map<ServerId, Double> weights;
    private int operatorReplicas;
    private int automaticReplicas;
    private boolean newEpoch;
    private boolean changed;

    ActorStateBuilder(ActorState before) {
        this.before = before;
        fencing = new ArrayList<>(before.fencing());
        isr = new ArrayList<>(before.isr());
        learners = new ArrayList<>(before.learners());
        desired = before.desiredServers();
        primary = before.primary();
        restoreEpoch = before.restoreEpoch();
        epochStarted = before.epochStarted();
        previousIsr = before.previousIsr();
        operatorReplicas = before.copies();
        automaticReplicas = before.automaticCopies();
        weights = new TreeMap<>(before.weights());
    }

    /** The actor with {@code from} replaced by {@code to} in its desired servers. */
    public static ActorState withMove(ActorState actor, ServerId from, ServerId to) {
        List<ServerId> desired = new ArrayList<>(actor.desiredServers());
        desired.set(desired.indexOf(from), to);
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.setDesired(desired);
        return draft.build();
    }

    /** The actor with an operator's requested number of replicas and the given desired servers. */
    public static ActorState withReplicas(ActorState actor, int copies, List<ServerId> desired) {
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.setDesired(desired);
        draft.changed |= copies != draft.operatorReplicas;
        draft.operatorReplicas = copies;
        return draft.build();
    }

    /** The actor with the rebalancer's requested number of replicas and the given desired servers. */
    public static ActorState withAutomaticReplicas(ActorState actor, int copies, List<ServerId> desired) {
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.setDesired(desired);
        draft.changed |= copies != draft.automaticReplicas;
        draft.automaticReplicas = copies;
        return draft.build();
    }

    /** The actor with these shares of its queries per server; empty for equal shares. */
    public static ActorState withWeights(ActorState actor, Map<ServerId, Double> weights) {
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.changed |= !weights.equals(draft.weights);
        draft.weights.clear();
        draft.weights.putAll(weights);
        return draft.build();
    }

    /** Number of replicas that an operator or the rebalancer requested, 0 if the table's rf applies. */
    int requestedReplicas() {
        return Math.max(operatorReplicas, automaticReplicas);
    }

    ServerId primary() {
        return primary;
    }

    List<ServerId> isr() {
        return isr;
    }

    List<ServerId> learners() {
        return learners;
    }

    List<ServerId> desired() {
        return desired;
    }

    List<ServerId> holders() {
        List<ServerId> holders = new ArrayList<>(isr);
        holders.addAll(learners);
        return holders;
    }

    boolean hosts(ServerId id) {
        return isr.contains(id) || learners.contains(id);
    }

    /** True when the next row has a new epoch. Reports of the old epoch are then invalid. */
    boolean hasNewEpoch() {
        return newEpoch;
    }

    /** True while a takeover is pending. No learner may copy its data yet: a former member that returns may have more entries. */
    boolean isTakeoverPending() {
        return !previousIsr.isr().isEmpty();
    }

    /** Marks the actor as started: every in-sync replica has the epoch's first entry on its disk, so updates are accepted. */
    void markEpochStarted() {
        changed |= !epochStarted;
        epochStarted = true;
        previousIsr = PreviousIsr.NONE;
    }

    void promote(ServerId next) {
        if (!next.equals(primary)) {
            primary = next;
            raiseEpoch();
        }
    }

    /** Starts the next epoch with the same primary. */
    void startNewEpoch() {
        raiseEpoch();
    }

    /**
     * Adds a certified learner to the in-sync set. It needs no fencing any more, as it has installed an epoch after each of its removals.
     */
    void addToIsr(ServerId learner) {
        learners.remove(learner);
        isr.add(learner);
        fencing.removeIf(f -> f.server().equals(learner));
        raiseEpoch();
    }

    /** Removes a replica from the in-sync set. It may still answer reads until it is fenced. */
    void removeFromIsr(ServerId member) {
        isr.remove(member);
        fencing.removeIf(f -> f.server().equals(member));
        fencing.add(new Fencing(member, before.epoch() + 1));
        raiseEpoch();
    }

    /** Removes a learner. The epoch grows, because the primary may have certified the learner meanwhile. */
    void dropLearner(ServerId learner) {
        learners.remove(learner);
        raiseEpoch();
    }

    void addLearner(ServerId server) {
        learners.add(server);
        changed = true;
    }

    void setDesired(List<ServerId> servers) {
        if (!servers.equals(desired)) {
            desired = List.copyOf(servers);
            changed = true;
        }
    }

    void pruneFencing(Predicate<Fencing> fenced) {
        changed |= fencing.removeIf(fenced);
    }

    /** Starts a takeover: the actor restarts from durable storage with this server as its only replica. */
    void takeOver(ServerId server) {
        for (ServerId member : before.isr()) {
            removeFromIsr(member);
        }
        learners.clear();
        fencing.removeIf(f -> f.server().equals(server));
        isr.add(server);
        primary = server;
        desired = List.of(server);
        restoreEpoch = before.epoch() + 1;
        previousIsr = epochStarted ? new PreviousIsr(before.isr(), before.epoch(), before.restoreEpoch()) : previousIsr;
        epochStarted = false;
        raiseEpoch();
    }

    /** Cancels a pending takeover, and restores the in-sync set before it with the given member as primary. */
    void cancelTakeover(ServerId server) {
        for (ServerId member : before.isr()) {
            removeFromIsr(member);
        }
        learners.clear();
        isr.addAll(previousIsr.isr());
        fencing.removeIf(f -> isr.contains(f.server()));
        primary = server;
        desired = previousIsr.isr();
        restoreEpoch = previousIsr.restoreEpoch();
        epochStarted = true;
        previousIsr = PreviousIsr.NONE;
        raiseEpoch();
    }

    private void raiseEpoch() {
        newEpoch = true;
        changed = true;
    }

    /** The next row, or the same object if nothing changes. */
    ActorState build() {
        if (!changed) {
            return before;
        }
        if (!isr.contains(primary)) {
            throw new IllegalStateException(
                    "actor " + before.actor() + ": primary " + primary + " is not in ISR " + isr);
        }
        long epoch = before.epoch() + (newEpoch ? 1 : 0);
        return new ActorState(
                before.actor(),
                epoch,
                primary,
                isr,
                learners,
                fencing,
                desired,
                usableWeights(),
                restoreEpoch,
                epochStarted,
                previousIsr,
                operatorReplicas,
                automaticReplicas,
                before.firstVersion());
    }

    /** The shares of queries, as long as they name exactly the in-sync replicas; otherwise none, so that shares are equal. */
    private Map<ServerId, Double> usableWeights() {
        return weights.keySet().equals(new TreeSet<>(isr)) ? weights : Map.of();
    }
}
