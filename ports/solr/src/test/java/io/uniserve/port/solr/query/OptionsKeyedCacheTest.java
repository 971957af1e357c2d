package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OptionsKeyedCacheTest {
    private final List<String> opened = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();
    private final OptionsKeyedCache<String> open = new OptionsKeyedCache<>(this::open, closed::add);

    private String open(TableMeta table) {
        String schema = table.options().getOrDefault("schema", "");
        if (schema.equals("bad")) {
            throw new IllegalStateException("no such schema");
        }
        opened.add(schema);
        return schema;
    }

    private static TableMeta table(String name, String schema) {
        return new TableMeta(
                new TableName(name),
                1,
                new Partitioner.Hash(1),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "kv",
                Map.of("schema", schema));
    }

    private String use(String name, String schema) {
        return open.with(table(name, schema), value -> value);
    }

    @Test
    void tablesOfTheSameOptionsShareOne() {
        assertThat(use("a", "x")).isEqualTo("x");
        assertThat(use("b", "x")).isEqualTo("x");
        assertThat(use("a", "x")).isEqualTo("x");
        assertThat(opened).containsExactly("x");
        assertThat(closed).isEmpty();
    }

    @Test
    void whatNoTableHasAnyMoreIsClosed() {
        use("a", "x");
        use("b", "x");
        use("a", "y");
        assertThat(closed).isEmpty();
        use("b", "z");
        assertThat(closed).containsExactly("x");
        use("a", "x");
        assertThat(opened).containsExactly("x", "y", "z", "x");
        assertThat(closed).containsExactly("x", "y");
    }

    @Test
    void whatIsInUseIsClosedByItsLastUser() {
        open.with(table("a", "x"), outer -> {
            open.with(table("a", "x"), inner -> use("a", "y"));
            assertThat(closed).isEmpty();
            return outer;
        });
        assertThat(closed).containsExactly("x");
    }

    @Test
    void workThatFailsLetsGoToo() {
        assertThatThrownBy(() -> open.with(table("a", "x"), value -> {
                    use("a", "y");
                    throw new IllegalStateException("work");
                }))
                .hasMessage("work");
        assertThat(closed).containsExactly("x");
    }

    @Test
    void whatCannotBeOpenedIsTriedAgain() {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> use("a", "bad")).hasMessage("no such schema");
        }
        use("a", "x");
        assertThat(closed).isEmpty();
    }

    @Test
    void ofManyTablesTheLongestUnusedAreClosed() {
        for (int i = 0; i < Limits.PLANNING_TABLES_MAX; i++) {
            use("t" + i, "s" + i);
        }
        use("t0", "s0");
        use("more", "s");
        assertThat(closed).containsExactly("s1");
    }
}
