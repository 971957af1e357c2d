package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.api.plan.Answer;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.client.ServerQueries;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RunningQuery;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queries that would take hours: service for others meanwhile, and the end of such queries. */
@Timeout(300)
class RunningQueriesIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int DOCUMENTS = 2_000;
    private static final int SLOW = 4;
    private static final String RANGE = "type:range,field:n_i,start:0,end:90000,gap:1";
    private static final String ENDLESS =
            "q=*:*&rows=0&json.facet={a:{" + RANGE + ",facet:{b:{" + RANGE + "}}}}&start=";

    private StartedCluster cluster;
    private UniserveClient heavy;

    @BeforeEach
    void start(@TempDir Path directory) {
        cluster = StartedCluster.start(
                ProcessClusterOptions.of(directory, 2, "solr,kv").with(Map.of("server.drain-timeout", "0s")));
        for (String port : List.of("solr", "kv")) {
            cluster.client()
                    .admin()
                    .createTable(TableSpec.named(port).port(port).hash(2).replicas(2));
        }
        List<Map<String, Object>> rows = IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> Map.<String, Object>of("id", "d" + i, "n_i", (long) i))
                .toList();
        cluster.client().table("solr").updateDocuments("solr.add@1", rows).run().orThrow();
        cluster.client().table("kv").updateDocuments("kv.put@1", rows).run().orThrow();
        heavy = UniserveClient.builder()
                .bootstrap(cluster.processes().bootstrap().toArray(String[]::new))
                .deadline(HOUR)
                .connectTimeout(PATIENCE)
                .build();
    }

    @AfterEach
    void stop() {
        heavy.close();
        cluster.close();
    }

    private List<CompletableFuture<Answer>> endless() {
        List<CompletableFuture<Answer>> answers = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            answers.add(heavy.queryAsync("solr", ENDLESS + i).toCompletableFuture());
        }
        await().atMost(PATIENCE).until(() -> reads() >= SLOW);
        return answers;
    }

    private List<RunningQuery> running() {
        return cluster.client().admin().queries().stream()
                .map(ServerQueries::queries)
                .flatMap(List::stream)
                .toList();
    }

    private long reads() {
        return running().stream()
                .filter(query ->
                        query.table().equals("solr") && query.operator().contains("solr."))
                .count();
    }

    @Test
    void briefQueriesGoOnBesideThemAndTheyEndWithTheirClient() {
        List<CompletableFuture<Answer>> answers = endless();
        for (int i = 0; i < 10; i++) {
            assertThat(cluster.client().query("kv", "count").body().utf8()).contains("" + DOCUMENTS);
            assertThat(cluster.client().query("solr", "q=*:*&rows=0").body().utf8())
                    .contains("" + DOCUMENTS);
        }
        RunningQuery plan = running().stream()
                .filter(query -> query.operator().equals("plan"))
                .findFirst()
                .orElseThrow();
        assertThat(plan.client()).isNotEmpty();
        assertThat(cluster.client().admin().cancelQuery(plan.id()).id()).isEqualTo(plan.id());
        await().atMost(PATIENCE).until(() -> answers.stream().anyMatch(CompletableFuture::isDone));
        CompletableFuture<Answer> ended =
                answers.stream().filter(CompletableFuture::isDone).findFirst().orElseThrow();
        assertThatThrownBy(ended::join)
                .isInstanceOf(CompletionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.QUERY_KILLED));
        assertThatThrownBy(() -> cluster.client().admin().cancelQuery(plan.id()))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));

        heavy.close();
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(running()).isEmpty());
        assertThat(cluster.client().admin().queries()).allMatch(server -> server.stuck() == 0);
    }

    @Test
    void aServerThatWorksForThemEndsOnSigterm() {
        List<CompletableFuture<Answer>> unused = endless();
        for (String name : List.of("server-1", "server-2")) {
            DaemonProcess daemon = cluster.processes().daemon(name);
            daemon.terminate();
            assertThat(daemon.awaitExit())
                    .as("%s ends by itself, and is not halted:%n%s", name, daemon.tail())
                    .isEqualTo(ExitCode.OK);
        }
    }
}
