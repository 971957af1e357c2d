package io.uniserve.protocol.coordinator.context;

import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Settings of a coordinator. Durations are in nanoseconds of the coordinator's clock.
 *
 * @param id name of this process, a valid {@link ServerId}; unique among the coordinators of the cluster
 * @param address address for clients and servers
 * @param clusterId the cluster's identity, written at the first start and checked at every later one
 * @param tickNanos period of the reconciliation loop and of retries
 * @param pingNanos period of the pings to each server
 * @param pingTimeoutNanos time after which a ping without reply has failed
 * @param failedPings consecutive failed pings after which a server is dead
 * @param suspicionNanos validity of a server's report about another server
 * @param startGraceNanos time that a new leader waits for servers it has not seen before they count as dead
 * @param restoreDelayNanos time that a replica may be missing before another server gets a learner
 * @param lossGraceNanos time that all replicas of an actor may be gone before its backup or {@code onLoss} is used
 * @param createTimeoutNanos time that the creation of a table waits for its primaries
 * @param rpcTimeoutNanos time-out of requests to servers other than pings
 * @param learnersPerServer maximum number of learners per server
 * @param levels consistency levels that new tables may have
 * @param closed true in mode closed
 */
public record CoordinatorConfig(
        String id,
        Address address,
        String clusterId,
        long tickNanos,
        long pingNanos,
        long pingTimeoutNanos,
        int failedPings,
        long suspicionNanos,
        long startGraceNanos,
        long restoreDelayNanos,
        long lossGraceNanos,
        long createTimeoutNanos,
        long rpcTimeoutNanos,
        int learnersPerServer,
        Set<ConsistencyLevel> levels,
        boolean closed) {
    /** All levels that this version supports. */
    public static final Set<ConsistencyLevel> SERVED_LEVELS =
            Collections.unmodifiableSet(EnumSet.allOf(ConsistencyLevel.class));

    private static final long SECOND = 1_000_000_000L;

    public CoordinatorConfig {
        levels = Collections.unmodifiableSet(new TreeSet<>(levels));
    }

    /** A copy with other levels. */
    public CoordinatorConfig withLevels(Set<ConsistencyLevel> others) {
        return with(others, closed);
    }

    /** A copy in mode closed, or open. */
    public CoordinatorConfig withClosed(boolean value) {
        return with(levels, value);
    }

    private CoordinatorConfig with(Set<ConsistencyLevel> others, boolean value) {
        return new CoordinatorConfig(
                id,
                address,
                clusterId,
                tickNanos,
                pingNanos,
                pingTimeoutNanos,
                failedPings,
                suspicionNanos,
                startGraceNanos,
                restoreDelayNanos,
                lossGraceNanos,
                createTimeoutNanos,
                rpcTimeoutNanos,
                learnersPerServer,
                others,
                value);
    }

    /** The default settings (docs/protocol.md, section 6). */
    public static CoordinatorConfig defaults(String id, Address address, String clusterId) {
        return new CoordinatorConfig(
                id,
                address,
                clusterId,
                SECOND / 2,
                SECOND / 2,
                SECOND,
                3,
                3 * SECOND,
                2 * SECOND,
                2 * SECOND,
                20 * SECOND,
                30 * SECOND,
                2 * SECOND,
                8,
                SERVED_LEVELS,
                false);
    }

    /** The coordinator's id as the sender of pings. */
    public ServerId pingSender() {
        return new ServerId(id);
    }
}
