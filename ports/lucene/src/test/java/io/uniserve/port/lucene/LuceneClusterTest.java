package io.uniserve.port.lucene;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.port.PortLoader;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The port as a directory of jars in a cluster: documents on four actors and two servers, with the results of one index. */
class LuceneClusterTest {
    private static final int DOCUMENTS = 200;

    @TempDir
    Path directory;

    private LocalCluster cluster;
    private UniserveClient client;

    @BeforeEach
    void start() {
        cluster = LocalCluster.builder()
                .servers(2)
                .port(PortLoader.load(Path.of("target", "port"), "lucene"))
                .directory(directory)
                .start();
        client = cluster.client();
        client.admin()
                .createTable(TableSpec.named("docs")
                        .port("lucene")
                        .hash(4)
                        .replicas(2)
                        .option("dimensions", "2"));
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < DOCUMENTS; i++) {
            String text = i % 10 == 0 ? "this is also number " + i : "this also is number " + i;
            documents.add(new Document("id", Map.of("id", "d" + i, "text", text, "vector", List.of((double) i, 0.0))));
        }
        client.table("docs")
                .update("lucene.put@1", Document.CODEC, documents)
                .run()
                .orThrow();
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    @Test
    void findsPhrasesAndNearVectors() {
        assertThat(ask("count is also")).isEqualTo("20\n");
        assertThat(ask("phrase 50 0 is also").lines()).hasSize(20);
        assertThat(ask("phrase 500 2 is also").lines()).hasSize(DOCUMENTS);
        assertThat(ask("near 3 70.2 0")).matches("\\S+ d70\n\\S+ d71\n\\S+ d69\n");
        client.table("docs")
                .update("lucene.delete@1", Document.CODEC, List.of(new Document("id", Map.of("id", "d70"))))
                .run()
                .orThrow();
        assertThat(ask("count is also")).isEqualTo("19\n");
        assertThat(ask("near 1 70.2 0")).endsWith(" d71\n");
    }

    @Test
    void theLowerKeysOfEqualScoresAreKept() {
        client.admin()
                .createTable(TableSpec.named("equal").port("lucene").hash(1).replicas(2));
        for (String key : List.of("d", "b", "e", "a", "c")) {
            client.table("equal")
                    .update(
                            "lucene.put@1",
                            Document.CODEC,
                            List.of(new Document("id", Map.of("id", key, "text", "the same words"))))
                    .run()
                    .orThrow();
        }
        String best = client.query("equal", "phrase 3 0 same words").body().utf8();
        assertThat(best).matches("(\\S+) a\n\\1 b\n\\1 c\n");
    }

    @Test
    void badQueriesAreRefused() {
        for (String text :
                List.of("", "find dogs", "phrase x 0 a", "phrase 3 0", "phrase 0 0 a", "near 3 1", "near 3 1 NaN")) {
            assertThatThrownBy(() -> ask(text))
                    .as(text)
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
        }
    }

    private String ask(String text) {
        return client.query("docs", text).body().utf8();
    }
}
