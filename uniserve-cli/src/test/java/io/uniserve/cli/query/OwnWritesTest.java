package io.uniserve.cli.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.RunningCluster;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.AckLevel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Read your writes: a query in the engine's language sees the same client's writes, on every replica. */
class OwnWritesTest {
    private static final int ROUNDS = 300;

    @Test
    void textQueriesSeeTheClientsOwnWrites(@TempDir Path directory) throws Exception {
        try (RunningCluster cluster = new RunningCluster(directory);
                UniserveClient client = UniserveClient.builder()
                        .bootstrap(cluster.bootstrap().split(","))
                        .build()) {
            client.admin().createTable(TableSpec.named("t").port("kv").hash(2).replicas(2));
            for (int i = 1; i <= ROUNDS; i++) {
                client.table("t")
                        .updateDocuments("kv.put@1", List.of(Map.of("id", "k" + i)))
                        .ack(AckLevel.ISR)
                        .run()
                        .orThrow();
                assertThat(client.query("t", "count").body().utf8()).isEqualTo("{\"count\":" + i + "}");
            }
        }
    }
}
