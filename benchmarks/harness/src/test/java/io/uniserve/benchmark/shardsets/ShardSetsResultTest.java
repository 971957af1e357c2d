package io.uniserve.benchmark.shardsets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import io.uniserve.benchmark.result.BenchmarkMetric;
import io.uniserve.benchmark.shardsets.ShardSetsResult.Changes;
import io.uniserve.benchmark.shardsets.ShardSetsResult.Row;
import io.uniserve.model.ReplicaKey;
import io.uniserve.model.ServerId;
import io.uniserve.placement.LiveCluster;
import io.uniserve.placement.LiveCluster.Actor;
import io.uniserve.placement.LiveCluster.CoAccessedActors;
import io.uniserve.placement.LiveCluster.CopyState;
import io.uniserve.placement.LiveCluster.Server;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Figures, table and plot of {@code bench shardsets}, and the properties of a running cluster. */
class ShardSetsResultTest {
    private static Window window(double millis, long failed, long wrong, String... messages) {
        return new Window(2, new long[] {(long) (millis * 1e6)}, failed, wrong, List.of(messages));
    }

    private static Row row(ShardSetKind workload, String policy, double p99) {
        return new Row(
                workload,
                policy,
                100,
                window(p99, 0, 0),
                window(1, 0, 0),
                new Changes(3, 2, 1, 0),
                12.5,
                new LivePlacement(1.5, 1, 1.1, 0.9));
    }

    private static ShardSetsResult result(Row... rows) {
        return new ShardSetsResult(List.of(rows), Map.of("milp", "no solver"));
    }

    @Test
    void theBestPeerCounts() {
        ShardSetsResult result = result(
                row(ShardSetKind.DRIFT, "none", 1),
                row(ShardSetKind.DRIFT, "greedy", 40),
                row(ShardSetKind.DRIFT, "estore", 30),
                row(ShardSetKind.DRIFT, "parallelism", 20),
                row(ShardSetKind.DRIFT, "milp", 5),
                row(ShardSetKind.RANGES, "getafix", 10),
                row(ShardSetKind.RANGES, "parallelism", 20),
                row(ShardSetKind.MIXED, "greedy", 10));
        List<BenchmarkMetric> figures = result.figures();
        assertThat(figures).extracting(BenchmarkMetric::name).hasSize(2);
        assertThat(figures.get(0).name()).contains("ranges");
        assertThat(figures.get(0).ratio()).isEqualTo(0.5, within(1e-9));
        assertThat(figures.get(0).met()).isFalse();
        assertThat(figures.get(1).name()).contains("drift");
        assertThat(figures.get(1).peer()).isEqualTo(30, within(1e-9));
        assertThat(figures.get(1).met()).isTrue();
        assertThat(result.summary())
                .hasSize(2)
                .last()
                .asString()
                .contains("drift: p99 20.0 ms under parallelism, 30.0 ms under estore: 1.50 times as fast");
    }

    @Test
    void aPolicyWithoutARightAnswerIsNoPeer() {
        Row silent = new Row(
                ShardSetKind.RANGES,
                "greedy",
                100,
                new Window(1, new long[0], 7, 0, List.of("all failed")),
                window(1, 0, 3, "sum"),
                new Changes(0, 0, 0, 0),
                0,
                LivePlacement.UNKNOWN);
        ShardSetsResult result = result(silent, row(ShardSetKind.RANGES, "parallelism", 20));
        assertThat(result.figures()).isEmpty();
        assertThat(result.failed()).isEqualTo(7);
        assertThat(result.wrong()).isEqualTo(3);
        assertThat(result.messages()).containsExactly("ranges, greedy: sum", "ranges, greedy: all failed");
        assertThat(result.fields().get(0))
                .doesNotContainKeys("p99", "contention")
                .containsEntry("failed", 7L);
        assertThat(ShardSetsCommand.svg(result))
                .contains("parallelism: 20.0 ms")
                .doesNotContain("NaN");
    }

    @Test
    void theTableHasALinePerRowAndSkippedPolicies() {
        ShardSetsResult result = result(row(ShardSetKind.MIXED, "greedy", 10), row(ShardSetKind.RANGES, "greedy", 20));
        assertThat(result.table()).hasSize(4);
        assertThat(result.table().get(1)).startsWith("ranges");
        assertThat(result.table().get(2)).startsWith("mixed").contains("10.0", "12.5", "1.50", "1.10", "0.90");
        assertThat(result.table().get(3)).isEqualTo("policy milp is skipped: no solver");
    }

    @Test
    void contentionIsPerQueryAndOtherTablesDoNotCount() {
        List<Server> servers = IntStream.range(0, 2)
                .mapToObj(i -> new Server(new ServerId("s" + i), "", 1, Set.of("kv")))
                .toList();
        List<Actor> actors = IntStream.range(0, 4)
                .mapToObj(i -> new Actor(
                        new ReplicaKey(2, i),
                        "kv",
                        List.of(new ServerId("s" + i / 2)),
                        new ServerId("s" + i / 2),
                        i < 2 ? 30 : 10,
                        0,
                        0,
                        true,
                        CopyState.FIXED))
                .toList();
        List<CoAccessedActors> sets = List.of(
                new CoAccessedActors(keys(2, 0, 1), 9),
                new CoAccessedActors(keys(2, 1, 2), 3),
                new CoAccessedActors(keys(1, 0, 1), 100));
        LivePlacement placement = LivePlacement.of(new LiveCluster(servers, actors, sets));
        assertThat(placement.contention()).isCloseTo((9 * 2 + 3) / 12.0, within(1e-9));
        assertThat(placement.bound()).isCloseTo(1, within(1e-9));
        assertThat(placement.most()).isCloseTo(1.5, within(1e-9));
        assertThat(placement.least()).isCloseTo(0.5, within(1e-9));
    }

    private static List<ReplicaKey> keys(long table, int... actors) {
        return IntStream.of(actors).mapToObj(i -> new ReplicaKey(table, i)).toList();
    }
}
