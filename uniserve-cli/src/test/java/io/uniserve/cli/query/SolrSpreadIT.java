package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.client.UpdateOutcome;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.RequestId;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tables that are partitioned by another field than the id, with two replicas: one id is one document while keys change, also over a
 * restart.
 */
@Tag("full")
@Timeout(600)
class SolrSpreadIT {
    private static final Path PORTS =
            Path.of(Objects.requireNonNull(System.getProperty("uniserve.home"))).resolve("ports");
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int ACTORS = 3;
    private static final int IDS = 12;
    private static final int ROUNDS = 15;

    @TempDir
    Path directory;

    private LocalCluster cluster;
    private UniserveClient client;

    @BeforeEach
    void start() {
        cluster = LocalCluster.builder()
                .servers(3)
                .port(PortLoader.load(PORTS.resolve("solr"), "solr"))
                .directory(directory)
                .start();
        client = cluster.client();
        for (ConsistencyLevel level : List.of(ConsistencyLevel.EVENTUAL, ConsistencyLevel.FULLY_SERIALIZABLE)) {
            client.admin()
                    .deadline(PATIENCE)
                    .createTable(TableSpec.named(name(level))
                            .port("solr")
                            .hash(ACTORS)
                            .replicas(2)
                            .keyField("farm_s")
                            .level(level));
        }
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private static String name(ConsistencyLevel level) {
        return level == ConsistencyLevel.EVENTUAL ? "each" : "whole";
    }

    private static Document row(int id, int farm, Object number) {
        return new Document("farm_s", Map.of("id", "cow%02d".formatted(id), "farm_s", "farm" + farm, "n_i", number));
    }

    private UpdateOutcome add(String table, List<Document> rows) {
        return client.table(table)
                .update("solr.add@1", Document.CODEC, rows)
                .deadline(PATIENCE)
                .run();
    }

    private String ask(String table, String query) {
        return client.query(table, query).body().utf8();
    }

    @Test
    void keysChangeAndAnswersAreThoseOfOneCore() throws JsonProcessingException {
        Random random = new Random(11);
        for (ConsistencyLevel level : List.of(ConsistencyLevel.EVENTUAL, ConsistencyLevel.FULLY_SERIALIZABLE)) {
            changeKeys(name(level), random);
        }
        cluster.stopAbruptly(3);
        cluster.start(3);
        await().atMost(PATIENCE)
                .until(() -> client.routing().tables().stream()
                        .flatMap(table -> table.map().actors().stream())
                        .allMatch(actor -> actor.isr().size() == 2));
        for (ConsistencyLevel level : List.of(ConsistencyLevel.EVENTUAL, ConsistencyLevel.FULLY_SERIALIZABLE)) {
            changeKeys(name(level), random);
        }
        assertThat(cluster.failures()).isEmpty();
    }

    private void changeKeys(String table, Random random) throws JsonProcessingException {
        Map<String, Document> known = new TreeMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Document> rows = new ArrayList<>();
            for (int i = 0; i < (round == 0 ? IDS : 1 + random.nextInt(5)); i++) {
                rows.add(row(round == 0 ? i : random.nextInt(IDS), random.nextInt(9), (long) random.nextInt(50)));
            }
            add(table, rows).orThrow();
            rows.forEach(row -> known.put(String.valueOf(row.fields().get("id")), row));

            Document changed = List.copyOf(known.values()).get(random.nextInt(known.size()));
            Map<String, Object> fields = new HashMap<>(Map.copyOf(changed.fields()));
            fields.put("n_i", Map.of("inc", 1L));
            add(table, List.of(new Document("farm_s", fields))).orThrow();
            fields.put("n_i", (Long) Objects.requireNonNull(changed.fields().get("n_i")) + 1);
            known.put(String.valueOf(fields.get("id")), new Document("farm_s", fields));
            List<String> expected = known.values().stream()
                    .map(row -> row.fields().get("id") + " " + row.fields().get("farm_s") + " "
                            + row.fields().get("n_i"))
                    .toList();
            List<String> found = new ArrayList<>();
            JSON.readTree(ask(table, "q=*:*&rows=99&sort=id asc&fl=id,farm_s,n_i"))
                    .at("/response/docs")
                    .forEach(row -> found.add(
                            row.path("id").asText() + " " + row.path("farm_s").asText() + " "
                                    + row.path("n_i").asText()));
            assertThat(found).isEqualTo(expected);
            assertThat(ask(table, "q=*:*&rows=0&facet=true&facet.field=id&facet.mincount=2")
                            .replaceAll("\\s", ""))
                    .contains("\"numFound\":" + IDS, "\"facet_fields\":{\"id\":[]}");
        }
    }

    @Test
    void anUpdateIsRepeatedUnderItsRequestIdAndAppliedOnce() {
        for (ConsistencyLevel level : List.of(ConsistencyLevel.EVENTUAL, ConsistencyLevel.FULLY_SERIALIZABLE)) {
            String table = name(level);
            add(table, List.of(row(1, 1, 1L), row(2, 2, 1L))).orThrow();
            RequestId id = new RequestId(7, level.ordinal(), 1);
            List<Document> rows = List.of(row(1, 2, 5L), row(2, 3, 5L), row(2, 3, Map.of("inc", 1L)));
            for (int time = 0; time < 2; time++) {
                client.table(table)
                        .update("solr.add@1", Document.CODEC, rows)
                        .requestId(id)
                        .deadline(PATIENCE)
                        .run()
                        .orThrow();
                assertThat(ask(table, "q=*:*&sort=id asc&fl=n_i").replaceAll("\\s", ""))
                        .contains("[{\"n_i\":5},{\"n_i\":6}]");
            }
            assertThatThrownBy(() ->
                            add(table, List.of(row(1, 9, Map.of("inc", 1L)))).orThrow())
                    .isInstanceOf(UniserveException.class)
                    .hasMessageContaining("is not under");
            assertThat(ask(table, "q=*:*&rows=0")).contains("\"numFound\":2");
        }
    }

    @Test
    void concurrentChangesOfKeysNeverShowAnIdTwiceOrNotInAnAtomicTable() {
        String table = name(ConsistencyLevel.FULLY_SERIALIZABLE);
        List<Document> first = new ArrayList<>();
        for (int id = 0; id < IDS; id++) {
            first.add(row(id, id, 0L));
        }
        add(table, first).orThrow();
        Queue<Throwable> wrong = new ConcurrentLinkedQueue<>();
        List<CompletableFuture<Void>> writers = new ArrayList<>();
        for (int writer = 0; writer < 3; writer++) {
            Random random = new Random(writer);
            writers.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < ROUNDS; i++) {
                    add(
                                    table,
                                    List.of(
                                            row(random.nextInt(IDS), random.nextInt(9), 1L),
                                            row(random.nextInt(IDS), random.nextInt(9), 2L)))
                            .orThrow();
                }
            }));
        }
        CompletableFuture<Void> written = CompletableFuture.allOf(writers.toArray(CompletableFuture[]::new));
        do {
            String answer = ask(table, "q=*:*&rows=0&facet=true&facet.field=id&facet.mincount=2")
                    .replaceAll("\\s", "");
            if (!answer.contains("\"numFound\":" + IDS) || !answer.contains("\"id\":[]")) {
                wrong.add(new AssertionError(answer));
            }
        } while (!written.isDone());
        written.join();
        assertThat(wrong).isEmpty();
        assertThat(cluster.failures()).isEmpty();
    }
}
