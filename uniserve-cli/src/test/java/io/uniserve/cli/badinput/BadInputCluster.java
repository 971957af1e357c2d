package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvEngine;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Shared cluster for all tests of bad input: two servers with the key-value engine, Solr and {@link TroubleEngine}, with rows in a table of
 * each. The state must be the same before and after each refusal.
 */
final class BadInputCluster implements AutoCloseable {
    /**
     * Long time-outs: a slow machine must not cause a fail-over, a removal from the in-sync set or a missing load report, which would be
     * changes that the bad input did not make.
     */
    private static final String PATIENCE = "40s";

    private final TestingConsole console = new TestingConsole(RemoteCluster::connect);
    final Path store = storeDirectory();
    final LocalCluster cluster;
    final UniserveClient client;

    private BadInputCluster() {
        Path ports = Path.of(Objects.requireNonNull(System.getProperty("uniserve.home")), "ports");
        cluster = LocalCluster.builder()
                .servers(2)
                .engine(new KvEngine())
                .engine(new TroubleEngine())
                .port(PortLoader.load(ports.resolve("solr"), "solr"))
                .port(PortLoader.load(ports.resolve("lucene"), "lucene"))
                .setting("storage.location", store.toString())
                .setting("server.result-memory", "64MiB")
                .setting("zookeeper.session-timeout", PATIENCE)
                .setting("server.rpc-timeout", PATIENCE)
                .setting("coordinator.ping-timeout", PATIENCE)
                .setting("coordinator.rpc-timeout", PATIENCE)
                .start();
        client = cluster.client();
        client.admin().createTable(TableSpec.named("words").port("kv").hash(4).replicas(2));
        client.admin()
                .createTable(TableSpec.named("numbers")
                        .port("kv")
                        .range(List.of(-5L, 5L))
                        .replicas(2));
        client.admin()
                .createTable(TableSpec.named("trouble").port("trouble").hash(4).replicas(2));
        client.admin().createTable(TableSpec.named("docs").port("solr").hash(2).replicas(2));
        put("words", "kv.put@1", LongStream.range(0, 50).mapToObj(n -> Map.of("id", "k" + n, "n", n)));
        put("numbers", "kv.put@1", LongStream.range(-10, 10).mapToObj(n -> Map.of("id", n)));
        put("trouble", "kv.put@1", LongStream.range(0, 20).mapToObj(n -> Map.of("id", "t" + n)));
        put("docs", "solr.add@1", LongStream.range(0, 20).mapToObj(n -> Map.of("id", "d" + n, "n_i", n)));
        ClusterState.settled(client);
    }

    private static Path storeDirectory() {
        try {
            return Files.createTempDirectory("uniserve-bad-input");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void put(String table, String function, java.util.stream.Stream<Map<String, Object>> rows) {
        client.table(table).updateDocuments(function, rows.toList()).run().orThrow();
    }

    /** Checks that the request fails with this code and a message with these words, and that nothing has changed. */
    void refused(ErrorCode code, ThrowingCallable request, String... words) {
        ClusterState before = ClusterState.settled(client);
        Throwable failure = catchThrowable(request);
        assertThat(failure)
                .isInstanceOfSatisfying(
                        UniserveException.class,
                        e -> assertThat(e.code()).as("%s", e).isEqualTo(code));
        assertThat(failure).hasMessageContainingAll(words);
        assertThat(ClusterState.settled(client)).isEqualTo(before);
        assertThat(cluster.failures()).isEmpty();
    }

    /** Checks that the command ends with this code's exit code and one line with the reason, and that nothing has changed. */
    Run refused(ErrorCode code, List<String> command, String... words) {
        ClusterState before = ClusterState.settled(client);
        Run run = run(command);
        assertThat(run.err()).contains("uniserve: " + code + ": ").contains(words);
        assertThat(run.exit()).isEqualTo(io.uniserve.cli.command.ExitCode.of(code));
        assertThat(ClusterState.settled(client)).isEqualTo(before);
        assertThat(cluster.failures()).isEmpty();
        return run;
    }

    /** Runs a command against this cluster. */
    Run run(List<String> command) {
        List<String> words = new ArrayList<>(List.of("-b", String.join(",", cluster.bootstrap())));
        words.addAll(command);
        return console.run(words.toArray(String[]::new));
    }

    @Override
    public void close() {
        TroubleOperators.RELEASE.countDown();
        cluster.close();
        try (Stream<Path> files = Files.walk(store)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Provider of the shared cluster for the constructors of tests; it closes the cluster after the last of them. */
    static final class Shared implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == BadInputCluster.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return context.getRoot()
                    .getStore(ExtensionContext.Namespace.create(BadInputCluster.class))
                    .getOrComputeIfAbsent(BadInputCluster.class, type -> new BadInputCluster());
        }
    }
}
