package io.uniserve.testkit.cluster;

import io.uniserve.client.TableSpec;
import io.uniserve.client.UniserveClient;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.port.kv.KvEngine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tables of accounts. Each update adds one to all accounts. */
final class Accounts {
    static final int COUNT = 20;

    private Accounts() {}

    /** Creates a table of four actors with two replicas each. */
    static void table(UniserveClient client, String name, ConsistencyLevel level) {
        client.admin()
                .createTable(TableSpec.named(name)
                        .port(KvEngine.NAME)
                        .hash(4)
                        .replicas(2)
                        .level(level));
    }

    /** Adds one to all accounts by one update. */
    static void addToAll(UniserveClient client, String table) {
        List<Map<String, Object>> rows = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            rows.add(Map.of("id", "account" + i, "amount", 1L));
        }
        client.table(table)
                .updateDocuments("kv.add@1", rows)
                .deadline(Duration.ofSeconds(60))
                .run()
                .orThrow();
    }
}
