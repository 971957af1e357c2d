package io.uniserve.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wrong configurations and their errors. */
class BadConfigurationTest {
    @TempDir
    Path directory;

    private void refused(String text, String... parts) {
        assertThatThrownBy(() -> {
                    Settings settings = TestingTableConfigFiles.load(directory, text);
                    assertThat(settings.server()).isNotNull();
                    assertThat(settings.coordinator()).isNotNull();
                    assertThat(settings.client()).isNotNull();
                    assertThat(settings.zookeeper()).isNotNull();
                })
                .as(text)
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
                    assertThat(e.reason()).contains(parts).doesNotContain("\n");
                });
    }

    @Test
    void unknownKeysAreNamedWithTheNearestKnownOne() {
        refused(
                "uniserve {\n  server.prot = 1\n}",
                "server.conf: 2",
                "uniserve.server.prot is not a known key",
                "did you mean uniserve.server.port?");
        refused("uniserve.server.log_shipping = 1s", "did you mean uniserve.server.log-shipping?");
        refused("uniserve.zookeper.connect = x", "did you mean uniserve.zookeeper?");
        refused("uniserve.completely-different-thing = x", "not a known key", "reference.conf");
        refused("server.port = 1", "server is not a known key", "inside uniserve");
    }

    @Test
    void aFileThatIsNoConfigurationIsNotReadToItsEnd() {
        refused("#".repeat(1 << 20) + "\n", "server.conf has more than 1048576 bytes: ");
        assertThatThrownBy(() -> Settings.load(Optional.of(Path.of("/dev/zero")), Map.of()))
                .hasMessageContaining("configuration file /dev/zero has more than 1048576 bytes");
    }

    @Test
    void wrongUnitsAndTypesNameKeyValueLineAndWhatIsExpected() {
        refused(
                "uniserve.server {\n\n lease = 2 parsecs }",
                "server.conf: 3",
                "uniserve.server.lease is \"2 parsecs\"",
                "a duration with a unit");
        refused("uniserve.server.lease = 2", "uniserve.server.lease is 2", "with a unit");
        refused("uniserve.server.lease = 2h", "from 100ms to 1m");
        refused("uniserve.server.result-memory = 12 apples", "result-memory", "a size with a unit");
        refused("uniserve.server.result-memory = 64000000", "a size with a unit");
        refused("uniserve.server.port = http", "uniserve.server.port is \"http\"", "a whole number from 0 to 65535");
        refused("uniserve.server.port = 70000", "uniserve.server.port is 70000", "0 to 65535");
        refused("uniserve.server.clock-drift = 0.01", "a share from 0% to 50%");
        refused("uniserve.server.clock-drift = 1e9%", "a share from 0% to 50%");
        refused("uniserve.server.engines = solr", "a list of texts");
        refused("uniserve.tls.enabled = maybe\nuniserve.cluster = \"../x\"", "uniserve.cluster", "letters, digits");
        refused("uniserve.client.bootstrap = [\"nowhere\"]", "HOST:PORT");
        refused("uniserve.server = 5", "uniserve.server is a section, not a value");
        refused("uniserve.server.port { a = 1 }", "uniserve.server.port is a value, not a section");
        refused("uniserve.server.host = \"\"", "a text that is not empty");
    }

    @Test
    void duplicateKeysNameBothLines() {
        refused(
                "uniserve {\n  server.port = 1\n  server {\n    port = 2\n  }\n}",
                "server.conf: 4: uniserve.server.port was set before, in line 2");
        refused("uniserve.cluster = a, uniserve.cluster = a", "uniserve.cluster was set before");
        refused("uniserve { \"cluster\" : a # one\n // two\n cluster = b }", "line 1");
    }

    @Test
    void whatIsNotADuplicatePasses() {
        String text = """
                uniserve {
                  # port = 1
                  server { port = 1, zone = "a } port = 2 {" } // port = 3
                  server { host = x }
                  coordinator.port = 1
                  server.engines = [ a, { b = 1, b = 2 }.b ]
                  server.port-settings { solr { q = \"""x
                    port = 1
                    port = 1 \""" }, kv { q = 1 } }
                }
                """.replace("{ b = 1, b = 2 }.b", "b");
        assertThat(TestingTableConfigFiles.load(directory, text).server().port())
                .isEqualTo(1);
    }

    @Test
    void brokenSyntaxAndAbsentFiles() {
        refused("uniserve { server { port = 1 ", "server.conf: 1");
        assertThatThrownBy(() -> Settings.load(Optional.of(directory.resolve("absent.conf")), Map.of()))
                .hasMessageContaining("absent.conf")
                .hasMessageContaining("INVALID_CONFIGURATION");
        refused("uniserve.server.port = ${NO_SUCH_VARIABLE_HERE}", "NO_SUCH_VARIABLE_HERE");
    }

    @Test
    void substitutesTheEnvironmentAndTakesOverrides() {
        String path = System.getenv("PATH");
        Settings settings = Settings.load(
                Optional.of(
                        TestingTableConfigFiles.write(
                                directory,
                                "uniserve.server { zone = ${PATH}\n port = ${?NO_SUCH_VARIABLE_HERE}\n host = ${?NO_SUCH_VARIABLE_HERE} }")),
                Map.of("uniserve.coordinator.port", "99"));
        assertThat(settings.server().zone()).isEqualTo(path);
        assertThat(settings.server().port()).isEqualTo(7071);
        assertThat(settings.coordinator().port()).isEqualTo(99);
        assertThatThrownBy(() -> Settings.load(Optional.empty(), Map.of("uniserve.coordinator.prot", "1")))
                .hasMessageContaining("command line")
                .hasMessageContaining("did you mean uniserve.coordinator.port?");
    }
}
