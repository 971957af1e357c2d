package io.uniserve.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.port.kv.KvEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several clients that change documents conditionally, on real daemons: no change is lost. */
@Timeout(120)
class CompareAndSetClusterTest {
    private static final int CLIENTS = 4;
    private static final int CHANGES = 12;

    @ParameterizedTest
    @EnumSource(ConsistencyLevel.class)
    void noChangeIsLost(ConsistencyLevel level) {
        try (LocalCluster cluster = LocalCluster.builder()
                .servers(2)
                .engine(new KvEngine())
                .setting("server.stop-grace", "0s")
                .start()) {
            UniserveClient client = cluster.client();
            client.admin()
                    .createTable(TableSpec.named("t")
                            .port(KvEngine.NAME)
                            .hash(2)
                            .replicas(2)
                            .level(level));
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                running.add(CompletableFuture.runAsync(() -> count(client)));
            }
            running.forEach(CompletableFuture::join);
            assertThat(client.query("t", "get n").body().utf8())
                    .isEqualTo("{\"id\":\"n\",\"v\":" + CLIENTS * CHANGES + "}");
            assertThatThrownBy(() -> set(client, null, 1))
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT));
        }
    }

    /** Increments the value repeatedly, each time on the condition that it has not changed since the read. */
    private static void count(UniserveClient client) {
        for (int done = 0; done < CHANGES; ) {
            String read = client.query("t", "get n").body().utf8();
            Long value = read.equals("null") ? null : Long.valueOf(read.replaceAll(".*\"v\":(\\d+).*", "$1"));
            try {
                set(client, value, value == null ? 1 : value + 1);
                done++;
            } catch (UniserveException e) {
                assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.CONFLICT);
            }
        }
    }

    private static void set(UniserveClient client, @Nullable Long expected, long value) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("id", "n");
        row.put("expect", expected == null ? null : Map.of("v", expected));
        row.put("put", Map.of("v", value));
        client.table("t")
                .updateDocuments("kv.compare-and-set@1", List.of(row))
                .run()
                .orThrow();
    }
}
