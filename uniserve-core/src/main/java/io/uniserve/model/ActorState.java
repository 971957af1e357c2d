package io.uniserve.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One actor's row of the map.
 *
 * @param epoch grows by one with every change of primary, ISR or removal of a learner
 * @param primary a member of {@code isr}
 * @param isr in-sync replicas, never empty
 * @param learners replicas that catch up
 * @param fencing replicas removed from the ISR that may still answer reads
 * @param desired where the placement wants replicas
 * @param weights share of the actor's queries per server (r_ij); an empty map means equal shares over the ISR
 * @param restoreEpoch epoch at which the coordinator decided that the actor is taken over from durable storage, 0 for
 *     never: the primary of that epoch, its sole in-sync replica, restores the backup, and data installed before
 *     that epoch count for nothing; later epochs keep the number
 * @param begun true once every in-sync replica has had an epoch's first entry on its disk since the creation or the last
 *     takeover. Only then are updates taken, so an in-sync replica found empty afterwards has lost its data
 * @param former who was in sync before a takeover that has not begun yet: until it does, one of them that comes back whole is
 *     better than any backup
 * @param copies replicas that an operator wishes for it beyond the table's rf, where so many servers can take one; 0 where rf
 *     is enough
 */
public record ActorState(
        int actor,
        long epoch,
        ServerId primary,
        List<ServerId> isr,
        List<ServerId> learners,
        List<Fencing> fencing,
        List<ServerId> desired,
        Map<ServerId, Double> weights,
        long restoreEpoch,
        boolean begun,
        PreviousIsr former,
        int copies) {
    public ActorState {
        isr = List.copyOf(isr);
        learners = List.copyOf(learners);
        fencing = List.copyOf(fencing);
        desired = List.copyOf(desired);
        weights = Collections.unmodifiableMap(new TreeMap<>(weights));
    }

    /** An actor that has as many replicas as its table wants. */
    public ActorState(
            int actor,
            long epoch,
            ServerId primary,
            List<ServerId> isr,
            List<ServerId> learners,
            List<Fencing> fencing,
            List<ServerId> desired,
            Map<ServerId, Double> weights,
            long restoreEpoch,
            boolean begun,
            PreviousIsr former) {
        this(actor, epoch, primary, isr, learners, fencing, desired, weights, restoreEpoch, begun, former, 0);
    }

    /** An actor that has not begun. */
    public ActorState(
            int actor,
            long epoch,
            ServerId primary,
            List<ServerId> isr,
            List<ServerId> learners,
            List<Fencing> fencing,
            List<ServerId> desired,
            Map<ServerId, Double> weights,
            long restoreEpoch) {
        this(actor, epoch, primary, isr, learners, fencing, desired, weights, restoreEpoch, false, PreviousIsr.NONE);
    }

    /** The same with this wish for replicas. */
    public ActorState withCopies(int wished) {
        return new ActorState(
                actor, epoch, primary, isr, learners, fencing, desired, weights, restoreEpoch, begun, former, wished);
    }

    /** True when the replicas are where they are desired, all in sync, and nothing else is there. */
    public boolean settled() {
        return learners.isEmpty() && isr.containsAll(desired) && desired.size() == isr.size();
    }

    /** True when the server holds the actor in any role. */
    public boolean hosts(ServerId server) {
        return isr.contains(server) || learners.contains(server);
    }
}
