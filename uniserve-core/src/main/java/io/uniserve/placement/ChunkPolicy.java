package io.uniserve.placement;

import io.uniserve.model.ServerId;
import java.util.List;
import java.util.Optional;

/**
 * Policy that chooses the servers of a new chunk of a table that grows with time. A pure function: the same input gives the same decision.
 */
@FunctionalInterface
public interface ChunkPolicy {
    /**
     * Places the actors of a new chunk.
     *
     * @return per bucket the distinct servers of its replicas, the primary first; fewer than requested if there are too few servers
     */
    Decision place(Input input);

    /**
     * Cluster as the policy sees it. Times are in milliseconds since 1970.
     *
     * @param now time of the decision
     * @param chunk chunk to be placed
     * @param servers servers that may get it, in the order of their ids
     * @param held actors of all tables
     */
    record Input(long now, NewChunk chunk, List<Server> servers, List<HeldActor> held) {
        public Input {
            servers = List.copyOf(servers);
            held = List.copyOf(held);
        }
    }

    /**
     * Chunk without actors yet.
     *
     * @param tableId number of its table
     * @param start start, inclusive
     * @param end end, exclusive
     * @param expiry time at which it expires; {@link Long#MAX_VALUE} for never
     * @param buckets number of its actors
     * @param replicas replicas per actor
     */
    record NewChunk(long tableId, long start, long end, long expiry, int buckets, int replicas) {}

    /**
     * Server that may get actors.
     *
     * @param zone failure domain
     * @param weight strength relative to the others, more than 0
     */
    record Server(ServerId id, String zone, double weight) {}

    /**
     * Actor with its measured load.
     *
     * @param tableId number of its table
     * @param start start of its chunk; {@code end} too is 0 for an actor of a table without time
     * @param end end of its chunk, more than {@code start} for an actor with a time
     * @param expiry time at which it expires; {@link Long#MAX_VALUE} for never
     * @param rows rows that it holds, 0 if unknown
     * @param hosts servers of its replicas
     * @param cpuMillisPerSecond CPU time of its queries, over all replicas
     * @param scannedPerSecond rows that its queries scan per second, over all replicas
     */
    record HeldActor(
            long tableId,
            long start,
            long end,
            long expiry,
            double rows,
            List<ServerId> hosts,
            double cpuMillisPerSecond,
            double scannedPerSecond) {
        public HeldActor {
            hosts = List.copyOf(hosts);
        }

        /** True if the actor belongs to a chunk of time. */
        public boolean hasTime() {
            return end > start;
        }
    }

    /**
     * Decision with its reasons.
     *
     * @param places per bucket the servers of its replicas
     * @param costs cost of each server before the chunk, in the order of the input; the least are chosen
     * @param unit unit of the costs
     * @param model model of the table's load by age; empty if the policy needs none
     * @param predicted predicted CPU time of one new actor over its life, in milliseconds; 0 without a model
     */
    record Decision(
            List<List<ServerId>> places,
            List<ServerCost> costs,
            String unit,
            Optional<AgeModel> model,
            double predicted) {
        public Decision {
            places = places.stream().map(List::copyOf).toList();
            costs = List.copyOf(costs);
        }
    }

    /** Cost of a server. */
    record ServerCost(ServerId server, double cost) {}

    /**
     * Model of a table's load by age in hours: CPU milliseconds per scanned row {@code a x^alpha}, rows scanned per row and second {@code b +
     * c x^beta}.
     *
     * @param error root of the mean squared relative error of the predicted CPU time per row, over the observations; NaN without any
     * @param observations number of actors that were observed
     * @param ages number of their different ages
     * @param source {@code table}, {@code all tables} or {@code default}: the origin of the observations
     */
    record AgeModel(
            double a,
            double alpha,
            double b,
            double c,
            double beta,
            double error,
            int observations,
            int ages,
            String source) {}
}
