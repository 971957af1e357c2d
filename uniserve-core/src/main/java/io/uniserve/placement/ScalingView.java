package io.uniserve.placement;

import io.uniserve.model.ServerId;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Load of a cluster over one period, as a {@link ScalingPolicy} sees it. Immutable.
 *
 * @param servers live servers that may hold replicas, by id
 */
public record ScalingView(List<Server> servers) {
    public ScalingView {
        servers = List.copyOf(servers);
    }

    /**
     * One server.
     *
     * @param cpuCores cores used by queries and updates, as a mean over the period; empty if the server has not reported it. It excludes
     *     moves of replicas, merges and compilers
     * @param coresMax capacity in cores, more than 0
     * @param memoryBytes memory of its replicas
     * @param memoryMax capacity in bytes; 0 if unknown
     * @param diskBytes disk space of its replicas
     * @param diskMax capacity in bytes; 0 if unknown
     * @param queriesPerSecond queries of its replicas
     * @param primaries number of replicas that are primaries
     * @param replicas number of replicas
     * @param keepReason first reason why the server may not go; empty if it may
     */
    public record Server(
            ServerId id,
            OptionalDouble cpuCores,
            double coresMax,
            long memoryBytes,
            long memoryMax,
            long diskBytes,
            long diskMax,
            double queriesPerSecond,
            int primaries,
            int replicas,
            String keepReason) {
        /** True if the server may be removed. */
        public boolean isRemovable() {
            return keepReason.isEmpty();
        }
    }

    /** Used cores over all cores; empty if there is no server, or one has not reported. */
    public OptionalDouble meanCpu() {
        if (servers.isEmpty()
                || servers.stream().anyMatch(server -> server.cpuCores().isEmpty())) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of(usedCores() / cores());
    }

    /** Cores that queries and updates use on all servers. */
    public double usedCores() {
        return servers.stream()
                .mapToDouble(server -> server.cpuCores().orElse(0))
                .sum();
    }

    /** Cores of all servers. */
    public double cores() {
        return servers.stream().mapToDouble(Server::coresMax).sum();
    }
}
