package io.uniserve.model;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Row of the map for one actor.
 *
 * @param epoch grows by one with every change of primary or ISR, and with every removal of a learner
 * @param primary a member of {@code isr}
 * @param isr in-sync replicas, never empty
 * @param learners replicas that catch up
 * @param fencing replicas removed from the ISR that may still answer reads
 * @param desiredServers servers that should have the replicas
 * @param weights share of the actor's queries per server (r_ij); an empty map means equal shares over the ISR
 * @param restoreEpoch epoch of the last takeover from durable storage, 0 for none. The primary of that epoch, its sole in-sync replica,
 *     restores the backup, and data installed before that epoch are obsolete. Later epochs keep the number
 * @param epochStarted true once every in-sync replica has had an epoch's first entry on its disk since the creation or the last takeover. Only
 *     then are updates accepted, so an in-sync replica found empty afterwards has lost its data
 * @param previousIsr in-sync replicas before a takeover that has not started yet. Until it does, one of them that returns intact is newer
 *     than any backup
 * @param copies number of replicas that an operator has requested above the table's rf, limited by the number of suitable servers; 0 for rf
 * @param automaticCopies number of replicas that the rebalancer has requested for a hot actor, limited in the same way; 0 for none. The
 *     larger one of both requests applies
 * @param firstVersion first version that may have rows of the actor, for a chunk of an atomic TIME table; 0 for any. All earlier versions were
 *     decided before the actor was made, so it refuses their PREPAREs
 */
public record ActorState(
        int actor,
        long epoch,
        ServerId primary,
        List<ServerId> isr,
        List<ServerId> learners,
        List<Fencing> fencing,
        List<ServerId> desiredServers,
        Map<ServerId, Double> weights,
        long restoreEpoch,
        boolean epochStarted,
        PreviousIsr previousIsr,
        int copies,
        int automaticCopies,
        long firstVersion) {
    public ActorState {
        isr = List.copyOf(isr);
        learners = List.copyOf(learners);
        fencing = List.copyOf(fencing);
        desiredServers = List.copyOf(desiredServers);
        weights = Collections.unmodifiableMap(new TreeMap<>(weights));
    }

    /** Row without a requested number of replicas. */
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
            boolean epochStarted,
            PreviousIsr former) {
        this(
                actor,
                epoch,
                primary,
                isr,
                learners,
                fencing,
                desired,
                weights,
                restoreEpoch,
                epochStarted,
                former,
                0,
                0,
                0);
    }

    /** Row of an actor that has not started. */
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

    /** The same with this requested number of replicas. */
    public ActorState withCopies(int wished) {
        return with(wished, firstVersion);
    }

    /** The same with this first version. */
    public ActorState withFirstVersion(long version) {
        return with(copies, version);
    }

    private ActorState with(int wished, long first) {
        return new ActorState(
                actor,
                epoch,
                primary,
                isr,
                learners,
                fencing,
                desiredServers,
                weights,
                restoreEpoch,
                epochStarted,
                previousIsr,
                wished,
                automaticCopies,
                first);
    }

    /** Number of replicas that an operator or the rebalancer has requested, 0 if the table's rf applies. */
    public int requestedReplicas() {
        return Math.max(copies, automaticCopies);
    }

    /** True if the replicas are exactly on the desired servers, and all in sync. */
    public boolean isOnDesiredServers() {
        return learners.isEmpty() && isr.containsAll(desiredServers) && desiredServers.size() == isr.size();
    }

    /** True if the server has a replica of the actor, in any role. */
    public boolean hasReplicaOn(ServerId server) {
        return isr.contains(server) || learners.contains(server);
    }
}
