package io.uniserve.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.message.AdminRequest;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A table of hours that lives through more than a year. */
class ManyChunksTest {
    private static final long HOUR = 3_600_000;
    private static final int CHUNKS = 10_000;
    private static final int AT_ONCE = 100;
    private static final int KEPT = 30 * 24;

    private final TestingCluster cluster = new TestingCluster();

    @Test
    void tenThousandChunksAreMadeAndExpire() {
        Node node = cluster.leading(3);
        Partitioner.Time hours = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
                2,
                Optional.of(IsoPeriod.parse("retention", "P30D")),
                IsoPeriod.parse("ahead", "P30D"));
        cluster.create(
                node,
                new TableMeta(
                        new TableName("t"),
                        0,
                        hours,
                        "id",
                        ConsistencyLevel.EVENTUAL,
                        2,
                        1,
                        OnLoss.WAIT,
                        "kv",
                        Map.of()));
        long tableId = cluster.map("t").tableId();
        int first = hours.chunks().ordinalOf(cluster.loop.wallMillis());
        for (int made = 0; made < CHUNKS; made += AT_ONCE) {
            int from = first + made;
            List<Integer> ordinals =
                    IntStream.range(from, from + AT_ONCE).boxed().toList();
            cluster.admin(node, new AdminRequest.CreateChunks(new TableName("t"), tableId, ordinals));
            cluster.loop.wallStartMillis += AT_ONCE * HOUR;
            cluster.loop.run(TestingCluster.SECOND);
            TableMap map = cluster.map("t");
            assertThat(map.actors()).hasSizeLessThanOrEqualTo(2 * (KEPT + AT_ONCE + 1));
            assertThat(map.has(hours.firstActor(from + AT_ONCE - 1))).isTrue();
        }
        assertThat(cluster.map("t").expiredBefore()).isGreaterThan(first + CHUNKS - KEPT - AT_ONCE);
        assertThat(cluster.map("t").actors()).hasSizeGreaterThan(2 * (KEPT - 2));
    }
}
