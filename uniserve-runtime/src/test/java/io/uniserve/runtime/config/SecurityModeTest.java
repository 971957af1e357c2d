package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Closed by default: what {@code security.mode} is for each host that a process listens on. */
class SecurityModeTest {
    private static final Map<String, String> FILES = Map.of(
            "uniserve.tls.enabled", "true",
            "uniserve.tls.certificate-file", "/c.pem",
            "uniserve.tls.key-file", "/k.pem",
            "uniserve.tls.trust-file", "/t.pem");

    private static Settings settings(ListenerKind kind, String host, String mode, Map<String, String> more) {
        Map<String, String> values = new HashMap<>(more);
        values.put("uniserve.server.host", "127.0.0.1");
        values.put("uniserve.coordinator.host", "127.0.0.1");
        values.put("uniserve." + kind.section() + ".host", host);
        values.put("uniserve.security.mode", mode);
        return Settings.load(Optional.empty(), values);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.255.1.2",
                "localhost",
                "LocalHost",
                "::1",
                "0:0:0:0:0:0:0:1",
                "::ffff:127.0.0.1"
            })
    void loopbackIsOpenWithoutAWarning(String host) {
        for (ListenerKind kind : ListenerKind.values()) {
            Settings settings = settings(kind, host, "", Map.of());
            assertThat(settings.security(kind).closed()).isFalse();
            assertThat(settings.isOpenToNetwork(kind)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "::",
                "10.0.0.7",
                "128.0.0.1",
                "126.255.255.255",
                "::2",
                "fe80::1",
                "::ffff:10.0.0.7",
                "127.0.0.1.example.org",
                "127.0.0.999",
                "localhost.example.org",
                "node-7",
                "1"
            })
    void anyOtherHostIsClosed(String host) {
        for (ListenerKind kind : ListenerKind.values()) {
            Settings settings = settings(kind, host, "", Map.of());
            assertThatThrownBy(() -> settings.serverTls(kind))
                    .isInstanceOfSatisfying(
                            UniserveException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
                    .hasMessageContaining("uniserve." + kind.section() + ".host = " + host)
                    .hasMessageContaining("uniserve security init DIR")
                    .hasMessageContaining("uniserve security issue server NAME")
                    .hasMessageContaining("uniserve.security.mode = open");
            Settings withFiles = settings(kind, host, "", FILES);
            assertThat(withFiles.security(kind).closed()).isTrue();
            assertThat(withFiles.serverTls(kind).requireClientCertificate()).isFalse();
            assertThat(withFiles.isOpenToNetwork(kind)).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0, true", "10.0.0.7, true", "127.0.0.1, false"})
    void aWrittenOpenIsOpenAndWarnsBeyondLoopback(String host, boolean warns) {
        for (ListenerKind kind : ListenerKind.values()) {
            Settings settings = settings(kind, host, " open ", Map.of());
            assertThat(settings.security(kind).closed()).isFalse();
            assertThat(settings.isOpenToNetwork(kind)).isEqualTo(warns);
        }
    }

    @ParameterizedTest
    @EnumSource(ListenerKind.class)
    void aWrittenClosedIsClosedOnLoopbackToo(ListenerKind kind) {
        assertThat(settings(kind, "127.0.0.1", "closed", FILES).security(kind).closed())
                .isTrue();
        assertThatThrownBy(() -> settings(kind, "127.0.0.1", "closed", Map.of()).security(kind))
                .hasMessageStartingWith("INVALID_CONFIGURATION: uniserve.security.mode = closed needs");
    }

    @ParameterizedTest
    @EnumSource(ListenerKind.class)
    void theHostOfTheOtherKindDoesNotMatter(ListenerKind kind) {
        Settings settings = settings(kind, "10.0.0.7", "", Map.of());
        for (ListenerKind other : ListenerKind.values()) {
            if (other != kind) {
                assertThat(settings.security(other).closed()).isFalse();
            }
        }
    }
}
