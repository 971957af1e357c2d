package io.uniserve.protocol.coordinator;

import io.uniserve.model.Address;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.ServerId;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Settings of a coordinator. Durations in nanoseconds of its own clock.
 *
 * @param id this process's name, fit for a {@link ServerId}; two coordinators of a cluster have different ones
 * @param address where clients and servers reach it
 * @param clusterId the cluster's identity, written at the first start and compared at every later one
 * @param tickNanos period of the level-triggered loop and of the retries
 * @param pingNanos period of the pings to each server
 * @param pingTimeoutNanos a ping without answer for this long has failed
 * @param failedPings pings in a row that make a server dead
 * @param suspicionNanos how long a server's report about another one counts
 * @param startGraceNanos how long a new leader waits for servers it has not seen yet before it fails them over
 * @param restoreDelayNanos how long a replica may be missing before another server gets a copy
 * @param lossGraceNanos how long an actor's last replica may be gone before its backup or {@code onLoss} is used
 * @param createTimeoutNanos how long the creation of a table waits for its primaries
 * @param rpcTimeoutNanos time-out of requests to servers other than pings
 * @param learnersPerServer replicas a server may catch up with at once
 * @param levels consistency levels that tables may be created with
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
        Set<ConsistencyLevel> levels) {
    /** The levels that servers, clients and ports of this version serve throughout. */
    public static final Set<ConsistencyLevel> SERVED_LEVELS =
            Collections.unmodifiableSet(EnumSet.allOf(ConsistencyLevel.class));

    private static final long SECOND = 1_000_000_000L;

    public CoordinatorConfig {
        levels = Collections.unmodifiableSet(new TreeSet<>(levels));
    }

    /** The same with other levels. */
    public CoordinatorConfig withLevels(Set<ConsistencyLevel> others) {
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
                others);
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
                SERVED_LEVELS);
    }

    /** The coordinator's id as the sender of pings. */
    ServerId sender() {
        return new ServerId(id);
    }
}
