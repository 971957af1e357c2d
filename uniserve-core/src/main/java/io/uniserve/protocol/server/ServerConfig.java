package io.uniserve.protocol.server;

import io.uniserve.model.Address;
import io.uniserve.model.Capacity;
import io.uniserve.model.PortInfo;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.replica.ReplicaConfig;
import java.util.List;

/**
 * What a server is and how it behaves. Durations in nanoseconds of its own clock.
 *
 * @param incarnation larger at every start of the server, e.g. its milliseconds since 1970; at most 9 * 10^12
 * @param replicas settings of replicas; its cluster id is the server's
 * @param tickNanos how often waiting work is looked at
 * @param pingNanos interval of pings to other servers, and the time-out of each
 * @param pingTargets servers that this one pings, the next ones by id
 * @param rpcTimeoutNanos time-out of small requests to other daemons
 * @param drainTimeoutNanos draining ends after this long whatever is left
 * @param takeOverStore durable storage of a former cluster of this name becomes this cluster's
 * @param trash what becomes of replicas of tables that the registry does not know
 * @param scrubNanos how often the copies of an actor led here are compared, 0 for never
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
        long scrubNanos) {
    private static final long MILLI = 1_000_000;

    public ServerConfig {
        ports = List.copyOf(ports);
    }

    /** One that takes no storage over, with the defaults of the trash. */
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
                0);
    }

    /** The same with another trash. */
    public ServerConfig withTrash(TrashConfig other) {
        return with(takeOverStore, other, scrubNanos);
    }

    /** The same that compares copies so often. */
    public ServerConfig withScrubNanos(long nanos) {
        return with(takeOverStore, trash, nanos);
    }

    /** The same, that takes durable storage of a former cluster of this name over where told so. */
    public ServerConfig withTakeOverStore(boolean value) {
        return with(value, trash, scrubNanos);
    }

    private ServerConfig with(boolean takeOver, TrashConfig other, long scrub) {
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
                scrub);
    }

    /** The server with its address, for errors. */
    String self() {
        return "server " + id + " at " + address;
    }

    /** The defaults of production. */
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

    /** The cluster. */
    public String clusterId() {
        return replicas.clusterId();
    }
}
