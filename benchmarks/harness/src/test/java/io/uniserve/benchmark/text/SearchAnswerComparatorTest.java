package io.uniserve.benchmark.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Differences between answers. */
class SearchAnswerComparatorTest {
    private static final String ANSWER =
            "{\"responseHeader\":{\"QTime\":1},\"response\":{\"numFound\":2,\"docs\":[{\"id\":\"a\",\"score\":1.5},{\"id\":\"b\"}]},"
                    + "\"facet_counts\":{\"facet_fields\":{\"t\":[\"x\",2]}}}";

    @Test
    void equalAnswersDoNotDiffer() {
        assertThat(SearchAnswerComparator.difference(ANSWER, ANSWER)).isEmpty();
        assertThat(SearchAnswerComparator.numFound(ANSWER)).isEqualTo(2);
    }

    @Test
    void headersAndTheLastDigitsOfScoresDoNotCount() {
        assertThat(SearchAnswerComparator.difference(ANSWER, ANSWER.replace("\"QTime\":1", "\"zkConnected\":true")))
                .isEmpty();
        assertThat(SearchAnswerComparator.difference(ANSWER, ANSWER.replace("1.5", "1.50001")))
                .isEmpty();
    }

    @Test
    void everythingElseDoes() {
        for (List<String> change : List.of(
                List.of("1.5", "1.51"),
                List.of("\"numFound\":2", "\"numFound\":3"),
                List.of("\"b\"", "\"c\""),
                List.of(",{\"id\":\"b\"}", ""),
                List.of("\"x\",2", "\"x\",3"),
                List.of("\"numFound\":2,", ""))) {
            String other = ANSWER.replace(change.get(0), change.get(1));
            assertThat(other).isNotEqualTo(ANSWER);
            assertThat(SearchAnswerComparator.difference(ANSWER, other))
                    .as(other)
                    .isPresent();
            assertThat(SearchAnswerComparator.difference(other, ANSWER))
                    .as(other)
                    .isPresent();
        }
    }
}
