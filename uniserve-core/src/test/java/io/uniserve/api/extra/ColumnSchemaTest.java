package io.uniserve.api.extra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.api.Document;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ColumnSchemaTest {
    private static final ColumnSchema ALL = ColumnSchema.of(meta(Map.of(
            "columns",
            "id bigint, n integer, x double, d decimal(5, 2), s varchar, day date, b boolean",
            "primary",
            "id, s")));

    private static TableMeta meta(Map<String, String> options) {
        return new TableMeta(
                new TableName("t"),
                1,
                new Partitioner.Hash(2),
                "id",
                ConsistencyLevel.EVENTUAL,
                1,
                1,
                OnLoss.WAIT,
                "duckdb",
                options);
    }

    @Test
    void valuesAreTyped() {
        Document row = new Document(
                "id", Map.of("id", 1L, "n", -2L, "x", 3L, "d", 1.5, "s", "t", "day", "1998-12-01", "b", true));
        assertThat(ALL.values(row))
                .containsExactly(1L, -2L, 3.0, new BigDecimal("1.50"), "t", LocalDate.of(1998, 12, 1), true);
        assertThat(ALL.keyValues(row)).containsExactly(1L, "t");
        assertThat(ALL.values(new Document("id", Map.of("id", 1L, "s", ""))))
                .isEqualTo(Arrays.asList(1L, null, null, null, "", null, null));
    }

    @Test
    void textsOfFilesBecomeTheSameValues() {
        Document row = ALL.parseRow(
                "id", List.of("s", "id", "d", "x", "b", "n"), List.of("007", "7", "-999.99", "1e3", "TRUE", ""));
        assertThat(row.fields()).isEqualTo(Map.of("s", "007", "id", 7L, "d", "-999.99", "x", 1000.0, "b", true));
        assertThatThrownBy(() -> ALL.parseRow("id", List.of("id", "d"), List.of("1", "1.234")))
                .hasMessageContaining("column 2 (d): \"1.234\" is no decimal(5,2)");
    }

    @ParameterizedTest
    @CsvSource({
        "n, 3000000000",
        "d, 1000",
        "d, 0.001",
        "d, abc",
        "day, 1998-02-30",
        "day, 98-1-1",
        "x, NaN",
        "id, 1.5",
        "id, 1e300",
        "b, 1"
    })
    void whatIsNotOfTheTypeIsRefused(String name, String text) {
        assertThatThrownBy(() -> ALL.parseRow("id", List.of(name), List.of(text)))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW))
                .hasMessageContaining("(" + name + ")");
    }

    @Test
    void rowsThatDoNotFitAreRefused() {
        for (Map<String, Object> fields : List.<Map<String, Object>>of(
                Map.of("id", 1L),
                Map.of("id", "1", "s", "a"),
                Map.of("id", 1L, "s", "a", "z", 1L),
                Map.of("id", 1L, "s", 5L),
                Map.of("id", 1L, "s", "a", "d", Double.NaN),
                Map.of("id", 1L, "s", "a", "x", Double.POSITIVE_INFINITY))) {
            assertThatThrownBy(() -> ALL.values(new Document("id", fields)))
                    .as(fields.toString())
                    .isInstanceOfSatisfying(
                            UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ROW));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "id",
                "id bigint,",
                "ID bigint",
                "id bigint, id bigint",
                "id double",
                "other bigint",
                "id bigint, d decimal(39,2)",
                "id bigint, d decimal(2,3)",
                "id bigint, d money",
                "id\"x bigint"
            })
    void wrongDefinitionsAreRefused(String columns) {
        assertThatThrownBy(() -> ColumnSchema.of(meta(Map.of("columns", columns))))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("columns");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "s", "id,id", "id,z"})
    void wrongKeysAreRefused(String primary) {
        assertThatThrownBy(() -> ColumnSchema.of(meta(Map.of("columns", "id bigint, s varchar", "primary", primary))))
                .hasMessageContaining("primary");
    }
}
