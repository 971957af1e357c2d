package io.uniserve.protocol.coordinator;

import io.uniserve.model.ActorState;
import io.uniserve.model.Fencing;
import io.uniserve.model.PreviousIsr;
import io.uniserve.model.ServerId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** An actor's next state while it is decided: keeps the rules that tie epoch, ISR and fencing together. */
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

    /** The actor with the wish that a replica be elsewhere. */
    static ActorState moving(ActorState actor, ServerId from, ServerId to) {
        List<ServerId> desired = new ArrayList<>(actor.desired());
        desired.set(desired.indexOf(from), to);
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.desire(desired);
        return draft.result();
    }

    /** The actor with the wish for so many replicas, on these servers. */
    static ActorState replicated(ActorState actor, int copies, List<ServerId> desired) {
        ActorStateBuilder draft = new ActorStateBuilder(actor);
        draft.desire(desired);
        draft.changed |= copies != draft.copies;
        draft.copies = copies;
        return draft.result();
    }

    /** Replicas that an operator wishes, 0 where the table's rf is enough. */
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

    /** True when the epoch grows: reports of the old one count no more. */
    boolean hasNewEpoch() {
        return newEpoch;
    }

    /** True while a takeover has not begun: nobody may learn from it who may be better than it. */
    boolean takesOver() {
        return !previousIsr.isr().isEmpty();
    }

    /** Every in-sync replica has the epoch's first entry on its disk: updates may come. */
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

    /** The same primary goes on in the next epoch. */
    void renew() {
        bump();
    }

    /** A certified learner joins the ISR. It has installed a newer epoch than any it was removed at. */
    void admit(ServerId learner) {
        learners.remove(learner);
        isr.add(learner);
        fencing.removeIf(f -> f.server().equals(learner));
        bump();
    }

    /** Takes a replica off the ISR; readers may still believe it until it is fenced. */
    void expel(ServerId member) {
        isr.remove(member);
        fencing.removeIf(f -> f.server().equals(member));
        fencing.add(new Fencing(member, before.epoch() + 1));
        bump();
    }

    /** Takes a learner off; it may have been certified meanwhile, so the epoch grows. */
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

    /** The actor starts again from durable storage on this server alone. */
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

    /** A takeover that has not begun is given up: this one came back, whole, of those that were in sync before it. */
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

    /** The next state, or the very same object where nothing changes. */
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
