package io.uniserve.benchmark.hotspot;

import java.time.Duration;
import java.util.List;

/**
 * Settings of {@code bench hotspot}.
 *
 * @param heap heap option of a server
 * @param clients clients in a closed loop
 * @param seconds length of each measurement
 * @param warmUpSeconds queries of all parts without a quota
 * @param periodSeconds period of the balancer
 * @param periods periods between the start of balancing and the measurement
 * @param copiesWaitSeconds maximum further time until the hot actor has a replica on every server; 0 for no third measurement
 * @param quota cores per server; 0 for no limit
 * @param rows rows per table; 0 for each port's default
 * @param scale scale factor of TPC-H for port druid
 */
record HotspotSettings(
        List<HotspotPort> ports,
        int servers,
        String heap,
        int clients,
        double seconds,
        double warmUpSeconds,
        double periodSeconds,
        int periods,
        double copiesWaitSeconds,
        double quota,
        int rows,
        double scale) {
    HotspotSettings {
        ports = List.copyOf(ports);
    }

    Duration period() {
        return Duration.ofMillis(Math.round(periodSeconds * 1_000));
    }

    /** Time from the start of balancing to the measurement. */
    double balancingSeconds() {
        return periods * periodSeconds;
    }
}
