package io.uniserve.placement;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Set;

/**
 * A running cluster as a rebalancing policy sees it. Load is in any one unit and adds up.
 *
 * @param servers those that may hold replicas, in the order of their ids
 * @param actors every actor there is
 * @param together which actors queries ask together, most frequent first; may be empty
 */
public record LiveCluster(List<Server> servers, List<Actor> actors, List<Together> together) {
    public LiveCluster {
        servers = List.copyOf(servers);
        actors = List.copyOf(actors);
        together = List.copyOf(together);
    }

    /**
     * A server that may take replicas.
     *
     * @param zone failure domain
     * @param weight strength relative to the others, more than 0
     * @param ports engines it offers
     */
    public record Server(ServerId id, String zone, double weight, Set<String> ports) {}

    /**
     * An actor.
     *
     * @param port engine it needs
     * @param hosts where its replicas are, or will be when moves under way have ended; some may not be in {@code servers}
     * @param primary one of the hosts as a rule
     * @param load what each replica costs its server
     * @param primaryLoad what the primary costs on top of that
     * @param memory bytes of one replica, 0 where unknown
     * @param movable false where it has to stay for now
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

        /** What the replica on this server costs it. */
        public double loadOn(ServerId server) {
            return server.equals(primary) ? load + primaryLoad : load;
        }
    }

    /** Actors that queries ask together, and how often. */
    public record Together(List<ReplicaKey> actors, double perSecond) {
        public Together {
            actors = List.copyOf(actors);
        }
    }
}
