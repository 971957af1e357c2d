package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Builder of an actor's next row in the map. It enforces the rules that connect epoch, in-sync set and fencing. */
final class ActorStateBuilder {
    private final ActorState before;
    private final List<Fencing> fencing;
    private final List<ServerId> isr;
    private final List<ServerId> learners;
    private List<ServerId> desired;
    private ServerId primary;
    private long restoreEpoch;
    private boolean begun;
    private PreviousIsr previousIsr;
    private int copies;
    private boolean newEpoch;
    private boolean changed;

    ActorStateBuilder(ActorState before) {
        this.before = before;
        fencing = new ArrayList<>(before.fencing());
        isr = new ArrayList<>(before.isr());
        learners = new ArrayList<>(before.learners());
        desired = before.desired();
        primary = before.primary();
        restoreEpoch = before.restoreEpoch();
        begun = before.begun();
        previousIsr = before.former();
        copies = before.copies();
    }

    /** The actor with {@code from} replaced by {@code to} in its desired servers. */
    static ActorState moving(ActorState actor, ServerId from, ServerId to) {
        List<ServerId> desired = new ArrayList<>(actor.desired());
        desired.set(desired.indexOf(from), to);
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.desire(desired);
        return draft.result();
    }

    /** The actor with an operator's requested number of replicas and the given desired servers. */
    static ActorState replicated(ActorState actor, int copies, List<ServerId> desired) {
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.desire(desired);
        draft.changed |= copies != draft.copies;
        draft.copies = copies;
        return draft.result();
    }

    /** Number of replicas that an operator requested, 0 if the table's rf applies. */
    int copies() {
        return copies;
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
    boolean takesOver() {
        return !previousIsr.isr().isEmpty();
    }

    /** Marks the actor as started: every in-sync replica has the epoch's first entry on its disk, so updates are accepted. */
    void begin() {
        changed |= !begun;
        begun = true;
        previousIsr = PreviousIsr.NONE;
    }

    void promote(ServerId next) {
        if (!next.equals(primary)) {
            primary = next;
            bump();
        }
    }

    /** Starts the next epoch with the same primary. */
    void renew() {
        bump();
    }

    /**
     * Adds a certified learner to the in-sync set. It needs no fencing any more, as it has installed an epoch after each of its removals.
     */
    void admit(ServerId learner) {
        learners.remove(learner);
        isr.add(learner);
        fencing.removeIf(f -> f.server().equals(learner));
        bump();
    }

    /** Removes a replica from the in-sync set. It may still answer reads until it is fenced. */
    void expel(ServerId member) {
        isr.remove(member);
        fencing.removeIf(f -> f.server().equals(member));
        fencing.add(new Fencing(member, before.epoch() + 1));
        bump();
    }

    /** Removes a learner. The epoch grows, because the primary may have certified the learner meanwhile. */
    void dropLearner(ServerId learner) {
        learners.remove(learner);
        bump();
    }

    void addLearner(ServerId server) {
        learners.add(server);
        changed = true;
    }

    void desire(List<ServerId> servers) {
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
            expel(member);
        }
        learners.clear();
        fencing.removeIf(f -> f.server().equals(server));
        isr.add(server);
        primary = server;
        desired = List.of(server);
        restoreEpoch = before.epoch() + 1;
        previousIsr = begun ? new PreviousIsr(before.isr(), before.epoch(), before.restoreEpoch()) : previousIsr;
        begun = false;
        bump();
    }

    /** Cancels a pending takeover, and restores the in-sync set before it with the given member as primary. */
    void reinstate(ServerId server) {
        for (ServerId member : before.isr()) {
            expel(member);
        }
        learners.clear();
        isr.addAll(previousIsr.isr());
        fencing.removeIf(f -> isr.contains(f.server()));
        primary = server;
        desired = previousIsr.isr();
        restoreEpoch = previousIsr.restoreEpoch();
        begun = true;
        previousIsr = PreviousIsr.NONE;
        bump();
    }

    private void bump() {
        newEpoch = true;
        changed = true;
    }

    /** The next row, or the same object if nothing changes. */
    ActorState result() {
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
                before.weights(),
                restoreEpoch,
                begun,
                previousIsr,
                copies);
    }
}
