package io.uniserve.benchmark.ycsb.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareEngine;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bare engines store and find the same rows. */
class BareEnginesTest {
    private static final int FIELDS = 2;

    @TempDir
    Path directory;

    private static Document row(String key, String... values) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("ycsb_key", key);
        for (int i = 0; i < values.length; i++) {
            fields.put("field" + i, values[i]);
        }
        // the field that the Lucene engine searches; the DuckDB engine has no such column
        fields.put("text", key);
        return new Document("ycsb_key", fields);
    }

    private static Map<String, Object> fields(Document document) {
        Map<String, Object> fields = new LinkedHashMap<>();
        document.fields().forEach((name, value) -> {
            if (value != null && name.startsWith("field")) {
                fields.put(name, value);
            }
        });
        return fields;
    }

    @ParameterizedTest
    @ValueSource(strings = {"kv", "mongodb", "duckdb", "lucene"})
    void rowsAreStoredChangedFoundAndDeleted(String port) throws Exception {
        try (BareEngine engine = BareEngineProcess.engine(port, directory, FIELDS)) {
            assertThat(engine.name()).isNotEmpty();
            engine.put(List.of(row("user1", "a", "b"), row("user3", "c", "d"), row("user2", "e", "f")));
            engine.publish();
            engine.put(List.of(row("user3", "C", "D")));
            Document change = new Document("ycsb_key", Map.of("ycsb_key", "user1", "field1", "B"));
            engine.set(change);
            engine.set(new Document("ycsb_key", Map.of("ycsb_key", "user9", "field1", "B")));
            engine.publish();
            assertThat(engine.read("user1", List.of()))
                    .extracting(BareEnginesTest::fields)
                    .containsExactly(Map.of("field0", "a", "field1", "B"));
            assertThat(engine.read("user3", List.of("field1")))
                    .extracting(BareEnginesTest::fields)
                    .containsExactly(Map.of("field1", "D"));
            assertThat(engine.read("user9", List.of())).isEmpty();
            if (port.equals("lucene")) {
                assertThatThrownBy(() -> engine.scan("user1", 2, List.of()))
                        .isInstanceOf(UnsupportedOperationException.class);
            } else {
                assertThat(engine.scan("user15", 2, List.of("field0")))
                        .extracting(BareEnginesTest::fields)
                        .containsExactly(Map.of("field0", "e"), Map.of("field0", "C"));
                assertThat(engine.scan("user1", 2, List.of())).hasSize(2);
                assertThat(engine.scan("user4", 2, List.of())).isEmpty();
            }
            engine.delete(List.of(row("user1"), row("user9")));
            engine.publish();
            assertThat(engine.read("user1", List.of())).isEmpty();
            assertThat(engine.read("user2", List.of())).hasSize(1);
        }
    }
}
