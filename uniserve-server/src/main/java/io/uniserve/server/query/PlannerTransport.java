package io.uniserve.server.query;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.client.ChannelPool;
import io.uniserve.runtime.transport.server.ConsistentSnapshotHandler;
import io.uniserve.runtime.transport.server.ReadHandler;

/** Access of this server's planners to actors: directly to those on this server, through the network to others. */
public record PlannerTransport(
        ServerId id,
        Address self,
        ReadHandler reads,
        ConsistentSnapshotHandler cuts,
        ChannelPool channels,
        ClusterIdentity cluster) {
    /** Returns the same transport on behalf of a client. */
    PlannerTransport onBehalfOf(String client) {
        return new PlannerTransport(id, self, reads.onBehalfOf(client), cuts, channels, cluster);
    }
}
