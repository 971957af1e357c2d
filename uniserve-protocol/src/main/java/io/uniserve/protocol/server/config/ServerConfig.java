package io.uniserve.protocol.server.config;

import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.replica.context.ReplicaConfig;
import java.util.List;

/**
 * Identity and settings of a server. Durations are in nanoseconds of the server's clock.
 *
 * @param incarnation larger at every start, for example milliseconds since 1970; at most 9 * 10^12
 * @param replicas settings of replicas, with the cluster's name
 * @param tickNanos shortest period of ticks
 * @param pingNanos interval of pings to other servers, and the time-out per ping
 * @param pingTargets number of servers that this one pings, the next ones by id
 * @param rpcTimeoutNanos time-out of small requests to other daemons
 * @param drainTimeoutNanos time after which draining ends in any case
 * @param takeOverStore true takes over the durable storage of a former cluster with this name
 * @param trash settings for replicas of tables that the registry does not know
 * @param scrubNanos period of the comparison of copies, 0 for never
 * @param closed true in mode closed
 */
public record ServerConfig(
        ServerId id,
        long incarnation,
        Address address,
        String zone,
        Capacity capacity,
        List<PortInfo> ports,
        ReplicaConfig replicas,
        long tickNanos,
        long pingNanos,
        int pingTargets,
        long rpcTimeoutNanos,
        long drainTimeoutNanos,
        boolean takeOverStore,
        TrashConfig trash,
        long scrubNanos,
        boolean closed) {
    private static final long MILLI = 1_000_000;

    public ServerConfig {
        ports = List.copyOf(ports);
    }

    /** Settings in mode open with the default trash, without take-over of storage and without scrub. */
    public ServerConfig(
            ServerId id,
            long incarnation,
            Address address,
            String zone,
            Capacity capacity,
            List<PortInfo> ports,
            ReplicaConfig replicas,
            long tickNanos,
            long pingNanos,
            int pingTargets,
            long rpcTimeoutNanos,
            long drainTimeoutNanos) {
        this(
                id,
                incarnation,
                address,
                zone,
                capacity,
                ports,
                replicas,
                tickNanos,
                pingNanos,
                pingTargets,
                rpcTimeoutNanos,
                drainTimeoutNanos,
                false,
                TrashConfig.defaults(),
                0,
                false);
    }

    /** A copy with other settings of the trash. */
    public ServerConfig withTrash(TrashConfig other) {
        return with(takeOverStore, other, scrubNanos, closed);
    }

    /** A copy with another period of the comparison of copies. */
    public ServerConfig withScrubNanos(long nanos) {
        return with(takeOverStore, trash, nanos, closed);
    }

    /** A copy that takes over durable storage of a former cluster with this name, or not. */
    public ServerConfig withTakeOverStore(boolean value) {
        return with(value, trash, scrubNanos, closed);
    }

    /** A copy in mode closed, or open. */
    public ServerConfig withClosed(boolean value) {
        return with(takeOverStore, trash, scrubNanos, value);
    }

    private ServerConfig with(boolean takeOver, TrashConfig other, long scrub, boolean inModeClosed) {
        return new ServerConfig(
                id,
                incarnation,
                address,
                zone,
                capacity,
                ports,
                replicas,
                tickNanos,
                pingNanos,
                pingTargets,
                rpcTimeoutNanos,
                drainTimeoutNanos,
                takeOver,
                other,
                scrub,
                inModeClosed);
    }

    /** The server with its address, for errors. */
    public String self() {
        return "server " + id + " at " + address;
    }

    /** The defaults for production. */
    public static ServerConfig defaults(
            ServerId id,
            long incarnation,
            String clusterId,
            Address address,
            String zone,
            Capacity capacity,
            List<PortInfo> ports) {
        return new ServerConfig(
                id,
                incarnation,
                address,
                zone,
                capacity,
                ports,
                ReplicaConfig.defaults(clusterId),
                50 * MILLI,
                500 * MILLI,
                2,
                2_000 * MILLI,
                60_000 * MILLI);
    }

    /** Name of the cluster. */
    public String clusterId() {
        return replicas.clusterId();
    }
}
