package io.uniserve.runtime.config;

import io.uniserve.model.Address;
import io.uniserve.protocol.coordinator.context.CoordinatorConfig;
import java.time.Duration;
import java.util.Optional;

/** Settings of a coordinator; {@code reference.conf} explains each. */
public record CoordinatorSettings(
        String host,
        int port,
        Optional<String> advertisedHost,
        Duration sessionTimeout,
        Duration tick,
        Duration ping,
        Duration pingTimeout,
        int failedPings,
        Duration suspicion,
        Duration startGrace,
        Duration restoreDelay,
        Duration lossGrace,
        Duration createTimeout,
        Duration rpcTimeout,
        int learnersPerServer,
        RebalanceSettings rebalance,
        ScalingSettings scaling,
        Duration stopGrace) {
    private static final Duration MS_50 = Duration.ofMillis(50);
    private static final Duration MS_100 = Duration.ofMillis(100);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofHours(24);

    /** Settings of the coordinator's state machine, in mode open. */
    public CoordinatorConfig toConfig(String id, Address address, String clusterId) {
        return new CoordinatorConfig(
                id,
                address,
                clusterId,
                tick.toNanos(),
                ping.toNanos(),
                pingTimeout.toNanos(),
                failedPings,
                suspicion.toNanos(),
                startGrace.toNanos(),
                restoreDelay.toNanos(),
                lossGrace.toNanos(),
                createTimeout.toNanos(),
                rpcTimeout.toNanos(),
                learnersPerServer,
                CoordinatorConfig.SERVED_LEVELS,
                false);
    }

    static CoordinatorSettings of(ConfigSection root) {
        ConfigSection coordinator = root.section("coordinator");
        return new CoordinatorSettings(
                coordinator.textNotEmpty("host"),
                coordinator.port("port"),
                Optional.of(coordinator.text("advertised-host").strip()).filter(host -> !host.isEmpty()),
                coordinator.duration("session-timeout", Duration.ofSeconds(1), Duration.ofMinutes(5)),
                coordinator.duration("tick", MS_50, MINUTE),
                coordinator.duration("ping", MS_50, MINUTE),
                coordinator.duration("ping-timeout", MS_50, MINUTE),
                coordinator.number("failed-pings", 1, 100),
                coordinator.duration("suspicion", MS_100, MINUTE),
                coordinator.duration("start-grace", Duration.ZERO, Duration.ofMinutes(5)),
                coordinator.duration("restore-delay", Duration.ZERO, DAY),
                coordinator.duration("loss-grace", Duration.ZERO, DAY),
                coordinator.duration("create-timeout", Duration.ofSeconds(1), Duration.ofMinutes(10)),
                coordinator.duration("rpc-timeout", MS_100, MINUTE),
                coordinator.number("learners-per-server", 1, 1_000),
                RebalanceSettings.of(coordinator),
                ScalingSettings.of(coordinator),
                coordinator.duration("stop-grace", Duration.ZERO, Duration.ofHours(1)));
    }
}
