package io.uniserve.server.query;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.runtime.transport.ChannelPool;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.ConsistentCutHandler;
import io.uniserve.runtime.transport.ReadHandler;

/** Access of this server's planners to actors: directly to those on this server, through the network to others. */
public record PlannerTransport(
        ServerId id,
        Address self,
        ReadHandler reads,
        ConsistentCutHandler cuts,
        ChannelPool channels,
        ClusterIdentity cluster) {
    /** Returns the same transport on behalf of a client. */
    PlannerTransport of(String client) {
        return new PlannerTransport(id, self, reads.of(client), cuts, channels, cluster);
    }
}
