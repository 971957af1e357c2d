package io.uniserve.benchmark.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.servers.GrowthResult.Failover;
import io.uniserve.benchmark.servers.GrowthResult.IdleCost;
import io.uniserve.benchmark.servers.GrowthResult.QueryCost;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arithmetic of {@code bench servers}. */
class GrowthReportTest {
    private static final int KINDS = 7;

    private static QueryCost cost(long queries, double serverMillis) {
        return new QueryCost(queries, 0, 0, List.of(), 100, 1, serverMillis, 50, 10);
    }

    private static GrowthResult result(int servers, int actors, double allMillis, double residentMb) {
        return new GrowthResult(
                servers,
                actors,
                5,
                0.5,
                cost(1_000, allMillis),
                cost(2_000, 100),
                residentMb,
                40,
                new IdleCost(1, 0.5 * servers, 1, 3.0 * servers),
                new Failover(100, 2, 0, 1, 1.5, 4, 9));
    }

    private static BenchmarkMetric figure(List<BenchmarkMetric> figures, String words) {
        return figures.stream()
                .filter(figure -> figure.name().contains(words))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void costsArePerQueryAndPerServer() {
        GrowthResult result = result(4, 256, 800, 150);
        assertThat(result.all().serversPerQuery()).isEqualTo(0.8, within(1e-9));
        assertThat(result.serverPerQuery()).isEqualTo(0.2, within(1e-9));
        assertThat(result.one().serversPerQuery()).isEqualTo(0.05, within(1e-9));
        assertThat(result.all().clientPerQuery()).isEqualTo(0.05, within(1e-9));
        assertThat(result.coordinatorPercentPerServer()).isEqualTo(0.5, within(1e-9));
        assertThat(result.zooKeeperPerSecondPerServer()).isEqualTo(3, within(1e-9));
    }

    @Test
    void idleCostIsAPercentageOfACore() {
        IdleCost idle = IdleCost.of(10, 4, 400, 50, 20, 300);
        assertThat(idle.serverPercent()).isEqualTo(1, within(1e-9));
        assertThat(idle.coordinatorPercent()).isEqualTo(0.5, within(1e-9));
        assertThat(idle.zooKeeperPercent()).isEqualTo(0.2, within(1e-9));
        assertThat(idle.zooKeeperPerSecond()).isEqualTo(30, within(1e-9));
    }

    @Test
    void figuresCompareWithTheSmallestClusterOfAsManyActors() {
        GrowthReport report = new GrowthReport(List.of(
                result(4, 256, 800, 100),
                result(8, 256, 1_600, 124),
                result(16, 256, 6_400, 126),
                result(4, 1_024, 3_000, 200)));
        List<BenchmarkMetric> figures = report.figures();
        assertThat(figures).hasSize(2 * KINDS);
        assertThat(figure(figures, "8 servers, 256 actors, over 4 servers: CPU of a server")
                        .ratio())
                .isEqualTo(1, within(1e-9));
        assertThat(figure(figures, "16 servers, 256 actors, over 4 servers: CPU of a server")
                        .ratio())
                .isEqualTo(0.5, within(1e-9));
        assertThat(figure(figures, "16 servers, 256 actors, over 4 servers: CPU of a server")
                        .met())
                .isFalse();
        assertThat(figure(figures, "8 servers, 256 actors, over 4 servers: resident")
                        .met())
                .isTrue();
        assertThat(figure(figures, "16 servers, 256 actors, over 4 servers: resident")
                        .met())
                .isFalse();
        assertThat(figure(figures, "8 servers, 256 actors, over 4 servers: requests to ZooKeeper")
                        .met())
                .isTrue();
    }

    @Test
    void oneClusterHasNoFigures() {
        assertThat(new GrowthReport(List.of(result(4, 256, 800, 100), result(4, 1_024, 800, 100))).figures())
                .isEmpty();
    }

    @Test
    void theTableHasAColumnPerCluster() {
        List<String> rows = new GrowthReport(List.of(result(4, 256, 800, 100), result(16, 256, 800, 100))).rows();
        assertThat(rows.get(0)).contains("servers / actors", "4/256", "16/256");
        assertThat(rows)
                .anyMatch(
                        row -> row.startsWith("  failed queries") && row.trim().endsWith("2"));
        assertThat(rows).anyMatch(row -> row.startsWith("table placed") && row.contains("0.50"));
    }
}
