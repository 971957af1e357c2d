package io.uniserve.placement;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Set;

/**
 * Running cluster as input of a rebalancing policy. All loads have the same unit and can be added.
 *
 * @param servers servers that may have replicas, in the order of their ids
 * @param actors all actors
 * @param coAccessedActors sets of actors that queries use together, most frequent first; may be empty
 */
public record LiveCluster(List<Server> servers, List<Actor> actors, List<CoAccessedActors> coAccessedActors) {
    public LiveCluster {
        servers = List.copyOf(servers);
        actors = List.copyOf(actors);
        coAccessedActors = List.copyOf(coAccessedActors);
    }

    /**
     * Server that may get replicas.
     *
     * @param zone failure domain
     * @param weight strength relative to the others, more than 0
     * @param ports engines that it supports
     */
    public record Server(ServerId id, String zone, double weight, Set<String> ports) {}

    /**
     * Actor with its replicas and its load.
     *
     * @param port required engine
     * @param hosts servers of its replicas after all moves under way; some may not be in {@code servers}
     * @param primary usually one of the hosts
     * @param load load of each replica on its server
     * @param primaryLoad additional load of the primary
     * @param memory bytes of one replica, 0 if unknown
     * @param movable false if it must not move for now
     */
    public record Actor(
            ReplicaKey key,
            String port,
            List<ServerId> hosts,
            ServerId primary,
            double load,
            double primaryLoad,
            long memory,
            boolean movable) {
        public Actor {
            hosts = List.copyOf(hosts);
        }

        /** Load of the replica on this server. */
        public double loadOn(ServerId server) {
            return server.equals(primary) ? load + primaryLoad : load;
        }
    }

    /** Set of actors that queries use together, with its frequency. */
    public record CoAccessedActors(List<ReplicaKey> actors, double perSecond) {
        public CoAccessedActors {
            actors = List.copyOf(actors);
        }
    }
}
