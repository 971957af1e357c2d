package io.uniserve.placement;

import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
     * @param copies state of its number of replicas and of the shares of its queries
     */
    public record Actor(
            ReplicaKey key,
            String port,
            List<ServerId> hosts,
            ServerId primary,
            double load,
            double primaryLoad,
            long memory,
            boolean movable,
            CopyState copies) {
        public Actor {
            hosts = List.copyOf(hosts);
        }

        /** Actor whose number of replicas is fixed, with equal shares. */
        public Actor(
                ReplicaKey key,
                String port,
                List<ServerId> hosts,
                ServerId primary,
                double load,
                double primaryLoad,
                long memory,
                boolean movable) {
            this(key, port, hosts, primary, load, primaryLoad, memory, movable, CopyState.FIXED);
        }

        /** Load of the replica on this server. */
        public double loadOn(ServerId server) {
            return loadWithoutQueries(server) + copies.queryLoad() * share(server);
        }

        /** Load of the replica on this server without queries: its existence, and the role of primary. */
        public double loadWithoutQueries(ServerId server) {
            double idle = load - copies.queryLoad() / Math.max(1, hosts.size());
            return server.equals(primary) ? idle + primaryLoad : idle;
        }

        /** Share of the actor's queries that the replica on this server answers, 0 to 1. */
        public double share(ServerId server) {
            return copies.weights().isEmpty()
                    ? 1.0 / Math.max(1, hosts.size())
                    : copies.weights().getOrDefault(server, 0.0);
        }
    }

    /**
     * State of an actor's number of replicas.
     *
     * @param queryLoad load of all its queries, in the unit of {@link Actor#load}; the load of a replica contains its share of it
     * @param newestLoad load of its queries in the newest reports alone; {@code queryLoad} may be an average over time
     * @param weights share of the queries per host; empty for equal shares
     * @param least replicas that the table's rf or an operator requires
     * @param automatic replicas that the policy has requested, 0 for none
     * @param bytes size of one replica, 0 if unknown
     * @param updatesPerSecond entries per second that a further replica would have to apply
     * @param permitted true if the table permits automatic copies
     * @param growable false if the actor must get no copy for now
     * @param shrinkable false if the actor must lose no copy for now
     */
    public record CopyState(
            double queryLoad,
            double newestLoad,
            Map<ServerId, Double> weights,
            int least,
            int automatic,
            long bytes,
            double updatesPerSecond,
            boolean permitted,
            boolean growable,
            boolean shrinkable) {
        /** Number of replicas that never changes. */
        public static final CopyState FIXED = new CopyState(0, 0, Map.of(), 1, 0, 0, 0, false, false, false);

        public CopyState {
            weights = Collections.unmodifiableMap(new TreeMap<>(weights));
        }
    }

    /** Set of actors that queries use together, with its frequency. */
    public record CoAccessedActors(List<ReplicaKey> actors, double perSecond) {
        public CoAccessedActors {
            actors = List.copyOf(actors);
        }
    }
}
