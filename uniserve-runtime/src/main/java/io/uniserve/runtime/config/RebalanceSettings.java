package io.uniserve.runtime.config;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.coordinator.rebalance.RebalanceConfig;
import java.time.Duration;

/**
 * Settings of the rebalancer and of the placement of chunks; {@code reference.conf} explains each.
 *
 * @param chunks policy of new chunks
 * @param chunkLoads period in which loads are collected for it
 */
public record RebalanceSettings(
        Duration period,
        int moves,
        int movesPerServer,
        double tolerance,
        String policy,
        ReplicationSettings copies,
        String chunks,
        Duration chunkLoads) {
    /** Settings of the coordinator's state machine. */
    public RebalanceConfig toConfig() {
        return new RebalanceConfig(period.toNanos(), moves, movesPerServer);
    }

    static RebalanceSettings of(ConfigSection coordinator) {
        ConfigSection rebalance = coordinator.section("rebalance");
        ConfigSection placement = coordinator.section("placement");
        double tolerance = rebalance.fraction("tolerance", 1);
        if (tolerance < 0.01) {
            throw rebalance.invalidValue("tolerance", "a share from 1% to 100%, such as 20%", null);
        }
        return new RebalanceSettings(
                rebalance.duration("period", Duration.ZERO, Duration.ofHours(24)),
                rebalance.number("moves", 1, Limits.REBALANCE_MOVES_MAX),
                rebalance.number("moves-per-server", 1, Limits.REBALANCE_MOVES_MAX),
                tolerance,
                rebalance.textNotEmpty("policy"),
                ReplicationSettings.of(rebalance),
                placement.textNotEmpty("chunks"),
                placement.duration("loads-period", Duration.ofMillis(100), Duration.ofHours(1)));
    }
}
