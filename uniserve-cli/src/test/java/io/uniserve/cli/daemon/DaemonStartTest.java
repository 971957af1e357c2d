package io.uniserve.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon that cannot start reports the reason in one line and leaves nothing running. */
@Timeout(60)
class DaemonStartTest {
    private final TestingConsole uniserve = TestingConsole.alone();

    @TempDir
    private Path directory;

    private Run refused(int exit, String code, List<String> words) {
        Run run = uniserve.run(words.toArray(String[]::new));
        assertThat(run.err().lines().filter(line -> line.startsWith("uniserve: ")))
                .hasSize(1);
        assertThat(run.err()).contains("uniserve: " + code + ": ");
        assertThat(run.exit()).isEqualTo(exit);
        assertThat(run.out()).isEmpty();
        return run;
    }

    private List<String> daemon(String kind, String... more) {
        List<String> words = new ArrayList<>(List.of(kind, "--host", "127.0.0.1", "--port", "0"));
        if (!kind.equals("coordinator")) {
            words.addAll(List.of("--data", directory.resolve("data").toString()));
        }
        words.addAll(List.of(more));
        return words;
    }

    @ParameterizedTest
    @ValueSource(strings = {"zookeeper", "coordinator", "server", "dev"})
    void configurationErrorsNameTheKeyAndTheRemedy(String kind) throws IOException {
        List<String[]> cases = List.of(
                new String[] {"uniserve.server.leese = 2s", "did you mean uniserve.server.lease?"},
                new String[] {"uniserve.server.lease = 2 parsecs", "a duration with a unit"},
                new String[] {"uniserve.server.lease = 2", "a duration with a unit"},
                new String[] {"uniserve { cluster = a\n cluster = b }", "was set before"},
                new String[] {"uniserve { cluster = a", "u.conf"},
                new String[] {"lease = 2s", "inside uniserve"});
        for (String[] one : cases) {
            Path file = Files.writeString(directory.resolve("u.conf"), one[0]);
            Run run = refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", daemon(kind, "--config", file.toString()));
            assertThat(run.err()).contains(one[1]);
        }
    }

    @Test
    void aConfigurationFileThatIsNotThere() {
        Run run = refused(
                ExitCode.REFUSED, "INVALID_CONFIGURATION", daemon("server", "--config", directory + "/none.conf"));
        assertThat(run.err()).contains("--config: file", "none.conf");
    }

    @ParameterizedTest
    @CsvSource({
        "server.prot=1,did you mean",
        "uniserve.server.port=http,a whole number",
        "server.port=-1,0 to 65535",
        "server.capacity.memory=12 apples,a size with a unit",
        "cluster=../x,letters",
        "server.engines=,at least one engine",
    })
    void wrongSettingsOnTheCommandLine(String setting, String remedy) {
        Run run = refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", daemon("server", "-S", setting));
        assertThat(run.err()).contains(remedy);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server --port x",
                "server --port",
                "server -S novalue",
                "dev --servers 0",
                "dev --servers -1",
                "dev --servers 1000000000",
                "dev --port -1",
                "dev --port 65535",
                "coordinator --data x",
                "zookeeper extra",
            })
    void wrongCommandLines(String words) {
        refused(ExitCode.USAGE, "USAGE", List.of(words.split(" ")));
    }

    @Test
    void aPortThatIsInUse() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            for (List<String> words : List.of(
                    List.of("zookeeper", "--host", "127.0.0.1", "--port", port, "--data", directory + "/zk"),
                    List.of("coordinator", "--host", "127.0.0.1", "--port", port),
                    List.of("dev", "--port", port, "--data", directory + "/dev"))) {
                Run run = refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", words);
                assertThat(run.err()).contains(port);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"coordinator", "server", "dev"})
    void beyondLoopbackNothingStartsWithoutIdentities(String kind) {
        Path data = directory.resolve("fresh");
        List<String> words = new ArrayList<>(List.of(kind, "--port", "0", "--host", "0.0.0.0"));
        if (!kind.equals("coordinator")) {
            words.addAll(List.of("--data", data.toString()));
        }
        String host = (kind.equals("server") ? "server" : "coordinator") + ".host = 0.0.0.0";
        assertThat(refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", words).err())
                .contains(host, "security init DIR", "security issue server NAME", "security.mode = open");
        for (String setting : List.of(
                "tls.enabled=true",
                "tls.certificate-file=/none.pem",
                "tls.key-file=/none.key",
                "tls.trust-file=/t.pem")) {
            words.addAll(List.of("-S", setting));
        }
        assertThat(refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", words).err())
                .contains("/none.pem is missing or not readable");
        assertThat(data).doesNotExist();
    }

    @Test
    void zooKeeperThatIsNotThere() {
        Run run = refused(
                ExitCode.UNAVAILABLE,
                "UNAVAILABLE",
                daemon("coordinator", "--zookeeper", "127.0.0.1:1", "-S", "zookeeper.start-timeout=1s"));
        assertThat(run.err()).contains("127.0.0.1:1", "uniserve zookeeper");
    }

    @Test
    void aPortThatIsNotInstalled() {
        refused(
                ExitCode.REFUSED,
                "UNKNOWN_PORT",
                daemon("server", "--engines", "mysql", "--ports-dir", directory.toString()));
        Run deprecated = refused(
                ExitCode.REFUSED,
                "UNKNOWN_PORT",
                daemon("server", "--ports", "mysql", "--ports-dir", directory.toString()));
        assertThat(deprecated.err()).contains("warning: --ports is deprecated here: use --engines");
        refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", daemon("server", "--engines", "../kv"));
        Run run = refused(
                ExitCode.REFUSED,
                "UNKNOWN_PORT",
                daemon("dev", "--engines", "mine", "--ports-dir", directory.toString()));
        assertThat(run.err()).contains("port mine has no folder " + directory.resolve("mine"));
    }

    @Test
    void aDataDirectoryThatIsAFile() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "x");
        for (String kind : List.of("zookeeper", "dev")) {
            refused(ExitCode.REFUSED, "INVALID_CONFIGURATION", List.of(kind, "--port", "0", "--data", file.toString()));
        }
    }
}
