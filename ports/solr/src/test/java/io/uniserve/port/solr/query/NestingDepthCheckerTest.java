package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NestingDepthCheckerTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "plain | 0",
                "(a) [b] {c} | 1",
                "([{}]) | 3",
                "(((a | 0",
                ")))a((( | 0",
                "(a,(b,(c) | 1",
                "f(g(a), h(k(b))) | 3"
            })
    void pairsWithinEachOtherCount(String text, int depth) {
        assertThat(NestingDepthChecker.depth(text)).isEqualTo(depth);
    }

    @Test
    void theLimitIsTheLastThatIsTaken() {
        int most = Limits.QUERY_NESTING_MAX;
        NestingDepthChecker.check("(".repeat(most) + "a" + ")".repeat(most));
        NestingDepthChecker.check("(x,".repeat(10_000));
        assertThatThrownBy(() -> NestingDepthChecker.check("(".repeat(most + 1) + "a" + ")".repeat(most + 1)))
                .isInstanceOfSatisfying(UniserveException.class, e -> {
                    assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                    assertThat(e.reason()).startsWith("brackets in the query are nested 501 deep, at most 500");
                });
    }
}
