package io.uniserve.benchmark.shardsets;

import java.time.Duration;
import java.util.List;

/**
 * Settings of {@code bench shardsets}.
 *
 * @param policies policies of the coordinator, in the order of the runs
 * @param servers number of servers; divides {@code actors}
 * @param actors actors of the table, rf 1
 * @param rows rows of the table
 * @param sets shard sets per workload
 * @param heap heap option of a server
 * @param quota cores per server; 0 for no limit
 * @param load part of the measured capacity that the queries need
 * @param clients maximum number of queries under way
 * @param warmUpSeconds queries without a quota, once
 * @param calibrationSeconds queries at capacity under the quota, once
 * @param seconds length of each measurement
 * @param periodSeconds period of the balancer
 * @param adaptSeconds maximum time between the start of the load and the measurement
 * @param copiesMax maximum number of replicas of an actor
 * @param seed seed of the sets
 */
record ShardSetsSettings(
        List<ShardSetKind> workloads,
        List<String> policies,
        int servers,
        int actors,
        int rows,
        int sets,
        String heap,
        double quota,
        double load,
        int clients,
        double warmUpSeconds,
        double calibrationSeconds,
        double seconds,
        double periodSeconds,
        double adaptSeconds,
        int copiesMax,
        long seed) {
    /** Periods that every policy has at least. */
    static final int PERIODS_MIN = 3;

    ShardSetsSettings {
        workloads = List.copyOf(workloads);
        policies = List.copyOf(policies);
    }

    Duration period() {
        return Duration.ofMillis(Math.round(periodSeconds * 1_000));
    }
}
