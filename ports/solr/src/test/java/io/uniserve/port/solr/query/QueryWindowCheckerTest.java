package io.uniserve.port.solr.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory that a query requests from an engine is bounded. */
class QueryWindowCheckerTest {
    private static final QueryWindowChecker.Dates DATES =
            (text, from) -> from == null ? Instant.parse(text).toEpochMilli() : from + text.length() * 1_000L;

    private static void refused(Runnable check, String named) {
        assertThatThrownBy(check::run)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(named)
                .hasMessageContaining("at most 100000");
    }

    @Test
    void theLastRowCounts() {
        QueryWindowChecker.check("rows", Limits.QUERY_WINDOW_ROWS_MAX);
        refused(() -> QueryWindowChecker.check("rows", Limits.QUERY_WINDOW_ROWS_MAX + 1), "rows is 100001");
        refused(() -> QueryWindowChecker.check("rows", Double.NaN), "rows");
        refused(() -> QueryWindowChecker.check("rows", Double.POSITIVE_INFINITY), "rows");
    }

    @Test
    void pagesAreCountedFromTheirStart() {
        QueryWindowChecker.checkPage(page(99_990, 10, 0, 1));
        QueryWindowChecker.checkPage(page(0, 100, 500, 500));
        QueryWindowChecker.checkPage((name, otherwise) -> otherwise);
        refused(() -> QueryWindowChecker.checkPage(page(99_999, 99_999, 0, 1)), "start + rows is 199998");
        refused(() -> QueryWindowChecker.checkPage(page(Integer.MAX_VALUE, Integer.MAX_VALUE, 0, 1)), "start + rows");
        refused(() -> QueryWindowChecker.checkPage(page(0, 100, 500, 501)), "group.limit");
    }

    private static QueryWindowChecker.Numbers page(double start, double rows, double offset, double limit) {
        Map<String, Double> numbers =
                Map.of("start", start, "rows", rows, "group.offset", offset, "group.limit", limit);
        return numbers::getOrDefault;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"0 100000 1", "-5 5 0.0001", "1e3 2e3 0.5", "2000-01-01T00:00:00Z 2000-01-02T00:00:00Z +1D"})
    void rangesOfFewBuckets(String range) {
        assertThatCode(() -> QueryWindowChecker.checkRanges(nested(range), DATES))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0 100001 1",
                "0 1e9 1",
                "0 1 1e-9",
                "0 5 0",
                "0 0 0",
                "2000-01-01T00:00:00Z 2030-01-01T00:00:00Z +1S",
                "2000-01-01T00:00:00Z 2030-01-01T00:00:00Z 1"
            })
    void rangesOfManyBuckets(String range) {
        refused(() -> QueryWindowChecker.checkRanges(nested(range), DATES), "(end - start) / gap");
    }

    @Test
    void aGapThatLeadsNowhereIsTheUsersFault() {
        QueryWindowChecker.Dates dates = (text, from) -> {
            throw new ArithmeticException("long overflow");
        };
        Map<String, String> range = Map.of("start", "0", "end", "9", "gap", "+2000000000YEARS");
        assertThatThrownBy(() -> QueryWindowChecker.checkRanges(range, dates))
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("a range's gap is \"+2000000000YEARS\"");
    }

    @Test
    void whatIsNoRangeIsLeftAlone() {
        QueryWindowChecker.checkRanges(null, DATES);
        QueryWindowChecker.checkRanges("text", DATES);
        QueryWindowChecker.checkRanges(Map.of("start", "", "end", "1e9", "gap", "1"), DATES);
        QueryWindowChecker.checkRanges(Map.of("end", "1e9", "gap", "1"), DATES);
    }

    private static Object nested(String range) {
        String[] parts = range.split(" ");
        return Map.of("a", Map.of("b", Map.of("start", parts[0], "end", parts[1], "gap", parts[2]), "c", 7));
    }
}
