package io.uniserve.benchmark.hotspot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.hotspot.HotspotResult.Measurement;
import io.uniserve.benchmark.result.BenchmarkMetric;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Figures of {@code bench hotspot}. */
class HotspotResultTest {
    private static Window window(double seconds, int right, long failed, long wrong, String... messages) {
        return new Window(seconds, new long[right], failed, wrong, List.of(messages));
    }

    private static HotspotResult result(Window off, Window balanced, Window settled, Window... others) {
        return new HotspotResult(
                "kv",
                0.1,
                4,
                3,
                List.of(
                        new Measurement("balancing off", 1, off),
                        new Measurement("after 3 periods", 2, balanced),
                        new Measurement("after 80 s", 4, settled)),
                List.of(others));
    }

    @Test
    void ratiosAreThroughputsAndNotNumbersOfQueries() {
        HotspotResult result = result(window(10, 1_000, 0, 0), window(5, 900, 0, 0), window(20, 7_000, 0, 0));
        List<BenchmarkMetric> figures = result.figures();
        assertThat(figures).hasSize(2);
        assertThat(figures.get(0).name()).contains("kv", "after 3 periods");
        assertThat(figures.get(0).measured()).isEqualTo(180, within(1e-9));
        assertThat(figures.get(0).ratio()).isEqualTo(1.8, within(1e-9));
        assertThat(figures.get(0).met()).isFalse();
        assertThat(figures.get(1).name()).contains("after 80 s");
        assertThat(figures.get(1).ratio()).isEqualTo(3.5, within(1e-9));
        assertThat(figures.get(1).met()).isTrue();
    }

    @Test
    void aRatioNeedsTwoMeasurements() {
        Measurement one = new Measurement("balancing off", 1, window(1, 1, 0, 0));
        assertThatThrownBy(() -> new HotspotResult("kv", 0.1, 4, 3, List.of(one), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void failuresBetweenTheMeasurementsCountToo() {
        HotspotResult result = result(
                window(1, 10, 1, 0, "a"),
                window(1, 10, 0, 2, "b"),
                window(1, 10, 0, 0),
                window(1, 5, 4, 8, "c"),
                window(1, 5, 0, 0));
        assertThat(result.failed()).isEqualTo(5);
        assertThat(result.wrong()).isEqualTo(10);
        assertThat(result.queries()).isEqualTo(40 + 15);
        assertThat(result.messages()).containsExactly("kv: a", "kv: b", "kv: c");
    }

    @Test
    void rowsShowRatiosAndReplicas() {
        List<String> rows = result(window(1, 100, 0, 0), window(1, 190, 0, 0), window(1, 300, 0, 0))
                .rows();
        assertThat(rows).hasSize(3);
        assertThat(rows.get(0)).contains("balancing off", "100.0 ( 1.00)", "1 of 4");
        assertThat(rows.get(1)).contains("after 3 periods", "190.0 ( 1.90)", "2 of 4");
        assertThat(rows.get(2)).contains("after 80 s", "300.0 ( 3.00)", "4 of 4");
    }
}
