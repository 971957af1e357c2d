package io.uniserve.sql.execute;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.sql.plan.FragmentedPlan;
import io.uniserve.sql.rows.SqlRows;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LateRowFetcherTest {
    private static final FragmentedPlan.LateColumns LATE = new FragmentedPlan.LateColumns(1, 2, 1, List.of(0), "");
    private static final SqlRows ANSWER =
            rows(List.of("0", "7.5", "2"), List.of("0", "3.5", "1"), List.of("0", "1", "2"));
    private static final SqlRows BEFORE = rows(List.of("x", "1"), List.of("y", "2"), List.of("z", "3"));

    @SafeVarargs
    private static SqlRows rows(List<String>... rows) {
        return new SqlRows(rows[0].stream().map(value -> "VARCHAR").toList(), List.of(rows));
    }

    @Test
    void columnsComeToTheRowsWithTheirKeys() {
        SqlRows fetched = rows(List.of("x", "1", "one"), List.of("y", "2", "two"));
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.of(BEFORE), fetched))
                .contains(rows(List.of("two", "7.5", "2"), List.of("one", "3.5", "1"), List.of("two", "1", "2")));
    }

    @Test
    void aRowThatIsGoneOrIsAnotherNowIsNoticed() {
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.of(BEFORE), rows(List.of("x", "1", "one"))))
                .isEmpty();
        SqlRows changed = rows(List.of("x", "1", "one"), List.of("Y", "2", "two"));
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.of(BEFORE), changed))
                .isEmpty();
        SqlRows fetched = rows(List.of("x", "1", "one"), List.of("y", "2", "two"));
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.of(rows(List.of("x", "1"))), fetched))
                .isEmpty();
    }

    @Test
    void ofATableThatCameWithNoRowsBeforeEachKeyHasItsRow() {
        SqlRows fetched = rows(List.of("x", "1", "one"), List.of("y", "2", "two"));
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.empty(), fetched))
                .contains(rows(List.of("two", "7.5", "2"), List.of("one", "3.5", "1"), List.of("two", "1", "2")));
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.empty(), rows(List.of("x", "1", "one"))))
                .isEmpty();
        SqlRows twice = rows(List.of("x", "1", "one"), List.of("y", "2", "two"), List.of("z", "2", "three"));
        assertThat(LateRowFetcher.fill(ANSWER, LATE, Optional.empty(), twice)).isEmpty();
    }

    /** NULL equals nothing, not even the text that it is written as. */
    @Test
    void noKeyHasNoRow() {
        SqlRows answer =
                new SqlRows(List.of("VARCHAR", "VARCHAR", "VARCHAR"), List.of(Arrays.asList("0", "7.5", null)));
        SqlRows fetched = rows(List.of("x", "null", "one"));
        assertThat(LateRowFetcher.fill(answer, LATE, Optional.empty(), fetched)).isEmpty();
    }
}
