package io.uniserve.benchmark.druid;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Differences between answers of Druid. */
class DruidAnswerComparatorTest {
    private static final String TOP =
            "[{\"timestamp\":\"1992-01-01\",\"result\":[{\"l_partkey\":\"1\",\"l_quantity\":9,\"sum\":1000000.5},"
                    + "{\"l_partkey\":\"2\",\"l_quantity\":8,\"sum\":null}]}]";
    private static final String SCAN =
            "[{\"segmentId\":\"a\",\"columns\":[\"l_orderkey\"],\"events\":[{\"l_orderkey\":\"1\",\"l_linenumber\":\"1\"}]},"
                    + "{\"segmentId\":\"b\",\"columns\":[\"l_orderkey\"],\"events\":[{\"l_orderkey\":\"2\",\"l_linenumber\":\"1\"}]}]";

    @Test
    void equalAnswersDoNotDiffer() {
        assertThat(DruidAnswerComparator.difference(TOP, TOP)).isEmpty();
        assertThat(DruidAnswerComparator.commonShare(TOP, TOP, "l_partkey")).isEqualTo(1);
    }

    @Test
    void lastDigitsOfSumsDoNotCount() {
        assertThat(DruidAnswerComparator.difference(TOP, TOP.replace("1000000.5", "1000000.5000001")))
                .isEmpty();
    }

    @Test
    void scansHaveNoOrderAndNoBatches() {
        String joined =
                "[{\"segmentId\":\"c\",\"events\":[{\"l_orderkey\":\"2\",\"l_linenumber\":\"1\"},{\"l_orderkey\":\"1\",\"l_linenumber\":\"1\"}]}]";
        assertThat(DruidAnswerComparator.difference(SCAN, joined)).isEmpty();
        assertThat(DruidAnswerComparator.difference(SCAN, joined.replace("\"2\"", "\"3\"")))
                .isPresent();
    }

    @Test
    void everythingElseCounts() {
        for (List<String> change : List.of(
                List.of("1000000.5", "1000000.6"),
                List.of("\"l_quantity\":9", "\"l_quantity\":10"),
                List.of("\"l_partkey\":\"2\"", "\"l_partkey\":\"3\""),
                List.of("null", "0"),
                List.of("1992-01-01", "1992-01-02"),
                List.of(",\"sum\":null", ""),
                List.of("\"l_quantity\":8", "\"l_quantity\":\"8\""))) {
            String other = TOP.replace(change.get(0), change.get(1));
            assertThat(other).isNotEqualTo(TOP);
            assertThat(DruidAnswerComparator.difference(TOP, other)).as(other).isPresent();
            assertThat(DruidAnswerComparator.difference(other, TOP)).as(other).isPresent();
        }
        assertThat(DruidAnswerComparator.difference(TOP, "no JSON")).isPresent();
    }
}
