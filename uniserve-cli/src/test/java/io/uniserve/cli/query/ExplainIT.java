package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.cluster.RemoteCluster;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.TableSpec;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code uniserve query --explain} of Solr's queries on two real servers: the steps are those of the engine's own phases. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExplainIT {
    private static final Path PORTS =
            Path.of(Objects.requireNonNull(System.getProperty("uniserve.home"))).resolve("ports");
    private static final String FACETED =
            "q=text:river&rows=5&sort=n_i desc,id asc&fl=id,n_i,text&facet=true" + "&facet.field=tag_s&facet.limit=3";
    private static final String READ =
            " bytes read of (1 server|2 servers) \\([0-9a-f]{8}(, [0-9a-f]{8})?\\); [0-9.]+ ms";

    private LocalCluster cluster;
    private final TestingConsole uniserve = new TestingConsole(RemoteCluster::connect);

    @BeforeAll
    void start(@TempDir Path directory) {
        cluster = LocalCluster.builder()
                .servers(2)
                .port(PortLoader.load(PORTS.resolve("solr"), "solr"))
                .directory(directory)
                .setting("server.stop-grace", "0s")
                .start();
        for (String table : List.of("docs", "one")) {
            int actors = table.equals("one") ? 1 : 4;
            cluster.client()
                    .admin()
                    .createTable(
                            TableSpec.named(table).port("solr").hash(actors).replicas(1));
            cluster.client()
                    .table(table)
                    .updateDocuments(
                            "solr.add@1",
                            IntStream.range(0, 200)
                                    .mapToObj(i -> Map.<String, Object>of(
                                            "id", "d" + i, "text", "a river", "n_i", (long) i, "tag_s", "t" + i % 90))
                                    .toList())
                    .run()
                    .orThrow();
        }
    }

    @AfterAll
    void close() {
        cluster.close();
    }

    private Run run(String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-b", String.join(",", cluster.bootstrap())));
        Run run = uniserve.run(all.toArray(String[]::new));
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        return run;
    }

    private int size(String table) {
        return cluster.client().query(table, FACETED).body().size();
    }

    @Test
    void aFacetedAndSortedQueryHasAStepForEachRound() {
        Run run = run("query", "docs", FACETED, "--explain", "--stats");
        List<String> lines = run.lines();
        assertThat(lines).hasSizeBetween(3, 6);
        assertThat(lines.get(0)).matches("retrieve solr\\.select@2 at 4 actors of docs; [1-9][0-9,]*" + READ);
        assertThat(lines.subList(1, lines.size() - 1))
                .isNotEmpty()
                .allMatch(line ->
                        line.matches("retrieve solr\\.select@2 at ([1-3] of )?4 actors of docs; [1-9][0-9,]*" + READ));
        assertThat(lines.get(lines.size() - 1))
                .matches("answer: %,d bytes of application/json, on server [0-9a-f]{8}; [0-9.]+ ms"
                        .formatted(size("docs")));
        assertThat(run.err()).contains(" requests, 0 retries");
    }

    @Test
    void aQueryOfOneActorHasOneStepWithoutAPlan() {
        Run run = run("query", "one", FACETED, "--explain");
        List<String> lines = run.lines();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0)).matches("whole query solr\\.query@1 at 1 actor of one; [1-9][0-9,]*" + READ);
        assertThat(lines.get(1)).isEqualTo("answer: %,d bytes of application/json".formatted(size("one")));
        assertThat(cluster.client()
                        .table("docs")
                        .key("d7")
                        .explain(FACETED)
                        .body()
                        .utf8())
                .startsWith("whole query solr.query@1 at 1 of 4 actors of docs; ");
    }
}
