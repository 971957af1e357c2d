package io.uniserve.server.query;

import io.uniserve.model.Address;
import io.uniserve.model.ServerId;
import io.uniserve.runtime.transport.ChannelPool;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.CutHandler;
import io.uniserve.runtime.transport.ReadHandler;

/** How planners on this server reach actors: in place where they are here, through the network elsewhere. */
public record LocalReads(
        ServerId id, Address self, ReadHandler reads, CutHandler cuts, ChannelPool channels, ClusterIdentity cluster) {
    /** The same on behalf of a client. */
    LocalReads of(String client) {
        return new LocalReads(id, self, reads.of(client), cuts, channels, cluster);
    }
}
