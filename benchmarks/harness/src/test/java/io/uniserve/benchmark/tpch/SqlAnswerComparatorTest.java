package io.uniserve.benchmark.tpch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Differences between answers, and the queries. */
class SqlAnswerComparatorTest {
    @ParameterizedTest
    @CsvSource({
        "5320753880.69, 5320753880.69, true",
        "5320753880.69, 5320753880.70, false",
        "5320753880.6900, 5320753880.69, true",
        "25.5220058532573, 25.522006, true",
        "25.52201, 25.522006, false",
        "16.380778626395557, 16.380779, true",
        "15.230212, 15.23021261159725, true",
        "15.230212, 15.230214, false",
        "1.0E11, 100000000000, true",
        "3, 4, false",
        "1996-01-02, 1996-01-02, true",
        "1996-01-02, 1996-01-03, false",
        "A, a, false"
    })
    void sumsAreEqualToTheCentAndAveragesAsFarAsTheyAreRounded(String one, String other, boolean same) {
        assertThat(SqlAnswerComparator.difference(List.of(List.of("x", one)), List.of(List.of("x", other)))
                        .isEmpty())
                .isEqualTo(same);
    }

    @Test
    void rowsAndNullsCount() {
        List<List<String>> two = List.of(List.of("a"), List.of("b"));
        assertThat(SqlAnswerComparator.difference(two, two)).isEmpty();
        assertThat(SqlAnswerComparator.difference(two, List.of(List.of("a")))).hasValue("2 rows, expected 1");
        assertThat(SqlAnswerComparator.difference(two, List.of(List.of("b"), List.of("a"))))
                .hasValue("row 1, column 1: a, not b");
        assertThat(SqlAnswerComparator.difference(List.of(Arrays.asList("a", null)), List.of(List.of("a", "b"))))
                .hasValue("row 1, column 2: null, not b");
    }

    @Test
    void everyQueryNamesTablesThatAreThere() {
        assertThat(TpchQuery.numbers()).contains(1, 3, 10);
        for (TpchQuery query : TpchQuery.of(TpchQuery.numbers())) {
            assertThat(TpchDataGenerator.TABLES).as(query.name()).anyMatch(query::uses);
            assertThat(TpchDataGenerator.TABLES.stream().map(TpchDataGenerator.Table::name))
                    .contains(query.table());
        }
        assertThat(TpchQuery.of(List.of(6)).get(0).isJoin()).isFalse();
        assertThat(TpchQuery.of(List.of(3)).get(0).table()).isEqualTo("customer");
    }
}
