package io.uniserve.benchmark.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResultLineTest {
    private static JsonNode json(ResultLine line) throws IOException {
        return new ObjectMapper().readTree(line.json());
    }

    @Test
    void fieldsComeInTheOrderOfTheDesign() {
        ResultLine line = ResultLine.of("demo", List.of("demo", "--verify"))
                .with("queries", 1_234)
                .figure(BenchmarkMetric.atMost("failed", 0, 0));
        assertThat(line.json())
                .isEqualTo("{\"cmd\":\"demo\",\"commit\":\"unknown\",\"args\":[\"demo\",\"--verify\"],"
                        + "\"figures\":[{\"name\":\"failed\",\"ours\":0,\"peer\":null,\"ratio\":null,\"goal\":0,\"met\":true}],"
                        + "\"queries\":1234,\"pass\":true}");
    }

    @Test
    void aRatioOfOneOrMoreIsGoodWhicheverWayTheFigureCounts() {
        assertThat(BenchmarkMetric.lessIsBetter("p50 ms", 2, 3, 1).ratio()).isEqualTo(1.5);
        assertThat(BenchmarkMetric.moreIsBetter("rows/s", 30, 20, 1).ratio()).isEqualTo(1.5);
        assertThat(BenchmarkMetric.lessIsBetter("p50 ms", 3, 2, 1 / 1.5).met()).isTrue();
        assertThat(BenchmarkMetric.lessIsBetter("p50 ms", 3.1, 2, 1 / 1.5).met())
                .isFalse();
    }

    @Test
    void oneFigureNotMetFailsTheWhole() throws IOException {
        ResultLine line = ResultLine.of("bench", List.of())
                .figure(BenchmarkMetric.atLeast("queries", 999, 1_000))
                .figure(BenchmarkMetric.atMost("wrong", 0, 0));
        assertThat(line.pass()).isFalse();
        assertThat(json(line).get("pass").booleanValue()).isFalse();
        assertThat(ResultLine.of("bench", List.of()).require(false).pass()).isFalse();
    }

    @Test
    void numbersThatJsonDoesNotKnowAreNullAndNotMet() throws IOException {
        ResultLine line =
                ResultLine.of("bench", List.of()).figure(BenchmarkMetric.lessIsBetter("p50", Double.NaN, 1, 1));
        assertThat(json(line).get("figures").get(0).get("ours").isNull()).isTrue();
        assertThat(line.pass()).isFalse();
    }

    @Test
    void aFieldIsGivenOnce() {
        ResultLine line = ResultLine.of("demo", List.of()).with("queries", 1);
        assertThatThrownBy(() -> line.with("queries", 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> line.with("pass", true)).isInstanceOf(IllegalArgumentException.class);
    }
}
