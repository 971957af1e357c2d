package io.uniserve.benchmark.failures;

import io.uniserve.protocol.client.routing.RequestSettings;
import io.uniserve.runtime.config.CoordinatorSettings;
import io.uniserve.runtime.config.ServerSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.config.ZooKeeperSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Effective time-outs that determine how long a failure affects clients. The manual's table describes each. */
final class EffectiveTimeouts {
    private static final String ROOT = "uniserve.";

    private EffectiveTimeouts() {}

    /**
     * Returns the time-outs by key, in the order in which a fail-over uses them. Fails with INVALID_CONFIGURATION for unknown settings.
     */
    static Map<String, String> effective(Map<String, String> settings) {
        Map<String, String> overrides = new TreeMap<>();
        settings.forEach((key, value) -> overrides.put(key.startsWith(ROOT) ? key : ROOT + key, value));
        Settings loaded = Settings.load(Optional.empty(), overrides);
        ZooKeeperSettings zooKeeper = loaded.zookeeper();
        ServerSettings server = loaded.server();
        CoordinatorSettings coordinator = loaded.coordinator();
        Map<String, String> values = new LinkedHashMap<>();
        values.put("zookeeper.session-timeout", text(zooKeeper.sessionTimeout()));
        values.put(
                "zookeeper.embedded.tick",
                text(Settings.defaults().zookeeper().embedded().tick()));
        values.put("coordinator.session-timeout", text(coordinator.sessionTimeout()));
        values.put("coordinator.ping", text(coordinator.ping()));
        values.put("coordinator.ping-timeout", text(coordinator.pingTimeout()));
        values.put("coordinator.failed-pings", Integer.toString(coordinator.failedPings()));
        values.put("coordinator.suspicion", text(coordinator.suspicion()));
        values.put("coordinator.tick", text(coordinator.tick()));
        values.put("coordinator.start-grace", text(coordinator.startGrace()));
        values.put("coordinator.restore-delay", text(coordinator.restoreDelay()));
        values.put("coordinator.loss-grace", text(coordinator.lossGrace()));
        values.put("server.ping", text(server.ping()));
        values.put("server.lease", text(server.lease()));
        values.put("server.rpc-timeout", text(server.rpcTimeout()));
        values.put("server.log-shipping", text(server.logShipping()));
        values.put("client.silence", text(Duration.ofNanos(client().silenceNanos())));
        values.put("client.backoff-max", text(Duration.ofNanos(client().backoffMaxNanos())));
        values.put("client.avoid-max", text(Duration.ofNanos(client().avoidMaxNanos())));
        values.put("client.update-attempt", text(Duration.ofNanos(client().updateAttemptNanos())));
        return values;
    }

    /** Clients of the bench use the defaults. */
    private static RequestSettings client() {
        return Settings.defaults().client().requestSettings();
    }

    private static String text(Duration duration) {
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + "s" : duration.toMillis() + "ms";
    }

    /** Returns the time-outs as one line. */
    static String line(Map<String, String> inForce) {
        return inForce.entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", ", "time-outs in force: ", ""));
    }
}
