package io.uniserve.port.monetdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.testkit.cluster.LocalCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of level FULLY_SERIALIZABLE on MonetDB, with two servers and two replicas: updates of all actors in two phases. */
class MonetAtomicTest {
    private static final int ROWS = 60;
    private static final int UPDATES = 12;
    private static final String ALIKE = "SELECT min(x) AS least, max(x) AS most, count(*) AS n FROM ordered";
    private static final String BOTH =
            "SELECT min(f.x - s.x) AS least, max(f.x - s.x) AS most, count(*) AS n FROM ordered f JOIN paid s ON f.id = s.id";

    @Test
    void updatesAreSeenWholeOrNotAtAll(@TempDir Path directory) {
        try (LocalCluster cluster = LocalCluster.builder()
                        .servers(2)
                        .engine(new MonetEngine())
                        .directory(directory)
                        .start();
                UniserveClient client = UniserveClient.builder()
                        .bootstrap(cluster.bootstrap().toArray(String[]::new))
                        .deadline(Duration.ofMinutes(2))
                        .connectTimeout(Duration.ofMinutes(1))
                        .build()) {
            table(client, "ordered", 4);
            table(client, "paid", 3);
            put(client, "ordered", rows(0));
            put(client, "paid", rows(0));
            assertThat(ask(client, ALIKE)).isEqualTo("[0,0,60]");
            aWrongRowLeavesNothing(client);
            readsWhileUpdatesAreMade(client);
            assertThat(ask(client, ALIKE)).isEqualTo("[%d,%d,60]".formatted(UPDATES, UPDATES));
            assertThat(ask(client, BOTH)).isEqualTo("[0,0,60]");
        }
    }

    private static void table(UniserveClient client, String name, int actors) {
        client.admin()
                .createTable(TableSpec.named(name)
                        .port("monetdb")
                        .keyField("id")
                        .hash(actors)
                        .replicas(2)
                        .level(ConsistencyLevel.FULLY_SERIALIZABLE)
                        .option("columns", "id bigint, x integer"));
    }

    private static List<Document> rows(long x) {
        List<Document> rows = new ArrayList<>();
        for (long id = 0; id < ROWS; id++) {
            rows.add(new Document("id", Map.of("id", id, "x", x)));
        }
        return rows;
    }

    private static void put(UniserveClient client, String table, List<Document> rows) {
        client.table(table).update("monetdb.put@1", Document.CODEC, rows).run().orThrow();
    }

    /** One row of all actors' rows is refused after others have prepared theirs. */
    private static void aWrongRowLeavesNothing(UniserveClient client) {
        List<Document> rows = rows(7);
        Map<String, @Nullable Object> wrong = new HashMap<>(rows.get(ROWS / 2).fields());
        wrong.put("x", "no number");
        rows.set(ROWS / 2, new Document("id", wrong));
        assertThatThrownBy(() -> put(client, "ordered", rows)).hasMessageContaining("field \"x\"");
        assertThat(ask(client, ALIKE)).isEqualTo("[0,0,60]");
    }

    /** The first table is written before the second: it is at most one update ahead, and never behind. */
    private static void readsWhileUpdatesAreMade(UniserveClient client) {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Integer> reader = CompletableFuture.supplyAsync(() -> {
            int reads = 0;
            do {
                assertThat(ask(client, ALIKE)).matches("\\[(\\d+),\\1,60\\]");
                assertThat(ask(client, BOTH)).isIn("[0,0,60]", "[1,1,60]");
                reads++;
            } while (!over.get());
            return reads;
        });
        try {
            for (int x = 1; x <= UPDATES; x++) {
                put(client, "ordered", rows(x));
                put(client, "paid", rows(x));
            }
        } finally {
            over.set(true);
        }
        assertThat(reader.join()).isPositive();
    }

    private static String ask(UniserveClient client, String sql) {
        String answer = client.query("ordered", sql).body().utf8();
        return answer.replaceFirst("(?s).*\"rows\":\\[\\s*(\\[.*?\\])\\s*\\]\\}\\s*$", "$1");
    }
}
