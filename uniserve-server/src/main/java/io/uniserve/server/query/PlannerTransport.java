package io.uniserve.server.query;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.runtime.transport.ChannelPool;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.ConsistentCutHandler;
import io.uniserve.runtime.transport.ReadHandler;

/** How planners on this server reach actors: in place where they are here, through the network elsewhere. */
public record PlannerTransport(
        ServerId id,
        Address self,
        ReadHandler reads,
        ConsistentCutHandler cuts,
        ChannelPool channels,
        ClusterIdentity cluster) {
    /** The same on behalf of a client. */
    PlannerTransport of(String client) {
        return new PlannerTransport(id, self, reads.of(client), cuts, channels, cluster);
    }
}
