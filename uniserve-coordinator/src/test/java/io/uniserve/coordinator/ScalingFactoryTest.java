package io.uniserve.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.runtime.config.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Servers of the provider {@code process} are as open or closed as their coordinator. */
class ScalingFactoryTest {
    private static List<String> arguments(Map<String, String> values, String... given) {
        return ScalingFactory.listenerArguments(Settings.load(Optional.empty(), values), List.of(given));
    }

    @Test
    void onLoopbackServersListenThereToo() {
        Map<String, String> values = Map.of("uniserve.coordinator.host", "127.0.0.1");
        assertThat(arguments(values)).containsExactly("--host", "127.0.0.1");
        assertThat(arguments(values, "--host", "127.0.0.2")).isEmpty();
        assertThat(arguments(values, "--host=127.0.0.2")).isEmpty();
    }

    @Test
    void openOnAllInterfacesIsHandedOn() {
        assertThat(arguments(Map.of("uniserve.security.mode", "open")))
                .containsExactly("--host", "0.0.0.0", "-S", "security.mode=open");
    }

    @Test
    void serversHaveTheCoordinatorsIdentityTowardsZooKeeper() {
        Map<String, String> values = Map.of(
                "uniserve.coordinator.host", "127.0.0.1",
                "uniserve.zookeeper.access.scheme", "digest",
                "uniserve.zookeeper.access.password-file", "/p",
                "uniserve.zookeeper.tls.enabled", "true",
                "uniserve.zookeeper.tls.trust-file", "/t.pem",
                "uniserve.zookeeper.tls.check-host-name", "false");
        List<String> words = arguments(values);
        assertThat(String.join(" ", words))
                .isEqualTo("--host 127.0.0.1 -S zookeeper.access.scheme=digest -S zookeeper.access.user=uniserve"
                        + " -S zookeeper.access.password-file=/p -S zookeeper.access.migration=false"
                        + " -S zookeeper.tls.enabled=true -S zookeeper.tls.trust-file=/t.pem"
                        + " -S zookeeper.tls.check-host-name=false");
    }

    @Test
    void closedServersHaveTheFilesOfTheCoordinator() {
        Map<String, String> values = new HashMap<>(Map.of(
                "uniserve.security.admins", "root,eve",
                "uniserve.tls.enabled", "true",
                "uniserve.tls.certificate-file", "/c.pem",
                "uniserve.tls.key-file", "/k.pem",
                "uniserve.tls.trust-file", "/t.pem"));
        assertThat(arguments(values))
                .containsExactly(
                        "--host",
                        "0.0.0.0",
                        "-S",
                        "security.mode=closed",
                        "-S",
                        "security.admins=eve,root",
                        "-S",
                        "tls.enabled=true",
                        "-S",
                        "tls.certificate-file=/c.pem",
                        "-S",
                        "tls.key-file=/k.pem",
                        "-S",
                        "tls.trust-file=/t.pem",
                        "-S",
                        "tls.require-client-certificate=false");
    }
}
