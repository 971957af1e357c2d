package io.uniserve.testkit.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Comparison of answers without an order. */
class MatrixValueTest {
    @Test
    void theTextNullIsNotNullInAnyOrderOfTheRows() {
        List<List<@Nullable Object>> rows = List.of(row("null", 0.0, -1), row(null, -0.0, -1), row("", null, 1));

        assertThat(MatrixValue.same(reversed(rows), rows, false, false)).isTrue();
        assertThat(MatrixValue.same(reversed(rows), rows, false, true)).isTrue();
        assertThat(MatrixValue.same(List.of(row("null", 1.0, 1)), List.of(row(null, 1.0, 1)), false, false))
                .isFalse();
    }

    @Test
    void textsWithTheSeparatorsOfKeysAreDistinct() {
        List<List<@Nullable Object>> rows =
                List.of(texts("a", "|b"), texts("a|", "b"), texts("a'|'", "b"), texts("a", "'|'b"), texts("'a'", "b"));

        assertThat(MatrixValue.same(reversed(rows), rows, false, false)).isTrue();
    }

    @Test
    void textsLikeOtherValuesAreDistinct() {
        List<List<@Nullable Object>> rows = List.of(row("true", 1.0, 1), row(true, 1.0, 1));

        assertThat(MatrixValue.same(reversed(rows), rows, false, false)).isTrue();
        assertThat(MatrixValue.same(List.of(rows.get(0)), List.of(rows.get(1)), false, false))
                .isFalse();
    }

    @Test
    void oneRowMoreOrLessIsADifference() {
        List<List<@Nullable Object>> twice = List.of(row("a", 1.0, 1), row("a", 1.0, 1), row("b", 1.0, 1));
        List<List<@Nullable Object>> other = List.of(row("a", 1.0, 1), row("b", 1.0, 1), row("b", 1.0, 1));

        assertThat(MatrixValue.same(twice, other, false, false)).isFalse();
        assertThat(MatrixValue.same(twice.subList(1, 3), twice, false, false)).isFalse();
    }

    private static List<@Nullable Object> row(@Nullable Object text, @Nullable Double real, long whole) {
        return Collections.unmodifiableList(Arrays.asList(text, real, BigDecimal.valueOf(whole)));
    }

    private static List<@Nullable Object> texts(String one, String other) {
        return List.of(one, other);
    }

    private static List<List<@Nullable Object>> reversed(List<List<@Nullable Object>> rows) {
        List<List<@Nullable Object>> reversed = new ArrayList<>(rows);
        Collections.reverse(reversed);
        return reversed;
    }
}
