package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.client.routing.RequestSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientSettingsTest {
    private static final long MS = 1_000_000;

    @Test
    void defaults() {
        assertThat(Settings.defaults().client())
                .isEqualTo(new ClientSettings(
                        List.of(new Address("localhost", 7070), new Address("localhost", 7071)),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(10),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        RequestSettings.defaults()));
    }

    @Test
    void fullMapping(@TempDir Path directory) {
        String text = """
                uniserve.client {
                  bootstrap = ["a:1"]
                  query-deadline = 1s, update-deadline = 2s, connect-timeout = 3s
                  user = ann, password-file = /ann.password, renew-certificate = true
                  hedge { budget = 25%, delay-min = 4ms, delay-cold = 5ms }
                  silence = 60ms, backoff-min = 7ms, backoff-max = 8ms, avoid-min = 9ms, avoid-max = 10ms, ramp = 11ms
                  update-attempt = 12ms
                }
                """;
        assertThat(TestingTableConfigFiles.load(directory, text).client())
                .isEqualTo(new ClientSettings(
                        List.of(new Address("a", 1)),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        Optional.of("ann"),
                        Optional.of(Path.of("/ann.password")),
                        true,
                        new RequestSettings(
                                4 * MS, 5 * MS, 250, 60 * MS, 7 * MS, 8 * MS, 9 * MS, 10 * MS, 11 * MS, 12 * MS)));
    }

    @Test
    void aPasswordWithoutAUserAndAMalformedNameAreRefused(@TempDir Path directory) {
        Settings alone = TestingTableConfigFiles.load(directory, "uniserve.client.password-file = /p");
        assertThatThrownBy(alone::client)
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("uniserve.client.user: name the user");
        Settings malformed = TestingTableConfigFiles.load(directory, "uniserve.client.user = \"a b\"");
        assertThatThrownBy(malformed::client).hasMessageContaining("name of a user");
    }
}
