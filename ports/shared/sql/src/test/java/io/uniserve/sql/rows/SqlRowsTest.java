package io.uniserve.sql.rows;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlRowsTest {
    private static SqlColumn column(String type, @Nullable Object... values) {
        SqlColumn.Builder column = new SqlColumn.Builder(type);
        for (@Nullable Object value : values) {
            column.add(value);
        }
        return column.build();
    }

    private static List<@Nullable String> texts(SqlColumn column) {
        List<@Nullable String> texts = new ArrayList<>();
        for (int row = 0; row < column.count(); row++) {
            texts.add(column.text(row));
        }
        return texts;
    }

    private static SqlRows again(SqlRows rows) {
        return SqlRows.CODEC.decode(SqlRows.CODEC.encode(rows));
    }

    private static void same(SqlColumn column, @Nullable String... texts) {
        assertThat(texts(column)).containsExactly(texts);
        assertThat(texts(again(new SqlRows(List.of(column))).columns().get(0))).containsExactly(texts);
    }

    @Test
    void valuesAreTheTextsThatAnEngineReads() {
        same(column("BIGINT", Long.MIN_VALUE, null, Long.MAX_VALUE), "" + Long.MIN_VALUE, null, "" + Long.MAX_VALUE);
        same(column("INTEGER", 1, 300, -70_000), "1", "300", "-70000");
        same(column("DATE", LocalDate.of(1, 1, 1), LocalDate.of(9999, 12, 31)), "0001-01-01", "9999-12-31");
        same(column("BOOLEAN", true, null, false), "true", null, "false");
        same(column("DOUBLE", -0.0, 1e300, Double.NaN, 0.1), "-0.0", "1.0E300", "NaN", "0.1");
        same(column("DECIMAL(15,2)", new BigDecimal("-0.05"), new BigDecimal("1000.00")), "-0.05", "1000.00");
        same(column("VARCHAR", "", null, "\u0000 日本"), "", null, "\u0000 日本");
        same(column("TIMESTAMP", "2020-01-01 00:00:00"), "2020-01-01 00:00:00");
        same(column("VARCHAR", null, null), null, null);
        same(column("BIGINT", null, null), null, null);
        same(column("BIGINT"));
    }

    @Test
    void whatDoesNotFitIntoSixtyFourBitsIsText() {
        BigInteger large = BigInteger.ONE.shiftLeft(63);
        SqlColumn mixed = column("HUGEINT", BigInteger.ONE, null, large, 7L);
        assertThat(mixed.isNumbers()).isFalse();
        same(mixed, "1", null, large.toString(), "7");
        BigDecimal wide = new BigDecimal("12345678901234567890.12");
        same(column("DECIMAL(38,2)", new BigDecimal("0.10"), wide), "0.10", "12345678901234567890.12");
        SqlColumn narrow = column("HUGEINT", BigInteger.TEN);
        assertThat(narrow.isNumbers()).isTrue();
        SqlRows both = SqlRows.concat(List.of(new SqlRows(List.of(narrow)), new SqlRows(List.of(mixed))));
        same(both.columns().get(0), "10", "1", null, large.toString(), "7");
    }

    @Test
    void fewDifferentTextsAreSentOnce() {
        SqlColumn.Builder few = new SqlColumn.Builder("VARCHAR");
        SqlColumn.Builder many = new SqlColumn.Builder("VARCHAR");
        for (int i = 0; i < 1_000; i++) {
            few.add(i % 7 == 0 ? null : "a text of some length " + i % 256);
            many.add("a text of some length " + i);
        }
        for (SqlColumn column : List.of(few.build(), many.build())) {
            assertThat(texts(again(new SqlRows(List.of(column))).columns().get(0)))
                    .isEqualTo(texts(column));
        }
        assertThat(SqlRows.CODEC.encode(new SqlRows(List.of(few.build()))).size())
                .isLessThan(12_000);
        assertThat(SqlRows.CODEC.encode(new SqlRows(List.of(many.build()))).size())
                .isGreaterThan(24_000);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void numbersOfAnyWidthComeBack(long seed) {
        Random random = new Random(seed);
        for (int width = 0; width < Long.SIZE; width++) {
            SqlColumn.Builder column = new SqlColumn.Builder("BIGINT");
            long base = random.nextLong();
            for (int i = 0; i < 20; i++) {
                column.add(random.nextInt(4) == 0 ? null : (Object) (base + (random.nextLong() >>> width)));
            }
            SqlColumn made = column.build();
            assertThat(texts(again(new SqlRows(List.of(made))).columns().get(0)))
                    .isEqualTo(texts(made));
        }
    }

    @Test
    void whatIsNoRowsIsRefused() {
        SqlRows rows = new SqlRows(List.of(
                column("BIGINT", 1L, null, 70_000L),
                column("VARCHAR", "a", "b", null),
                column("DOUBLE", 1.0, 2.0, 3.0)));
        byte[] bytes = SqlRows.CODEC.encode(rows).toArray();
        for (int length = 0; length < bytes.length; length++) {
            Bytes cut = Bytes.wrap(Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> SqlRows.CODEC.decode(cut)).isInstanceOf(UniserveException.class);
        }
        Random random = new Random(1);
        for (int i = 0; i < 10_000; i++) {
            byte[] other = bytes.clone();
            other[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            try {
                SqlRows read = SqlRows.CODEC.decode(Bytes.wrap(other));
                assertThat(read.count()).isEqualTo(3);
            } catch (UniserveException e) {
                assertThat(e.code()).isIn(ErrorCode.CORRUPT, ErrorCode.UNSUPPORTED);
            }
        }
        assertThatThrownBy(() -> new SqlRows(List.of(column("BIGINT", 1L), column("BIGINT"))))
                .hasMessageContaining("columns of different lengths: 0 and 1");
    }

    @Test
    void rowsWithoutPartnersGo() {
        SqlRows rows = new SqlRows(List.of(column("BIGINT", 1L, null, 3L, 4L), column("VARCHAR", "a", "b", "c", null)));
        SqlRows others = new SqlRows(List.of(column("VARCHAR", "x", "y", "z"), column("BIGINT", 4L, null, 1L)));
        assertThat(rows.semiJoin(0, others, 1).rows())
                .containsExactly(Arrays.asList("1", "a"), Arrays.asList("4", null));
        SqlRows texts = new SqlRows(List.of("BIGINT", "BIGINT"), List.of(List.of("0", "3")));
        assertThat(rows.semiJoin(0, texts, 1).rows()).containsExactly(Arrays.asList("3", "c"));
        // Of another type: 1.0 would equal 1, which the engine must decide.
        SqlRows decimals = new SqlRows(List.of(column("DECIMAL(3,1)", new BigDecimal("1.0"))));
        assertThat(rows.semiJoin(0, decimals, 0)).isSameAs(rows);
    }
}
