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
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Chunks of tables that live long, and through a change to daylight saving. */
class ManyChunksTest {
    private static final long HOUR = 3_600_000;
    private static final int CHUNKS = 10_000;
    private static final int AT_ONCE = 100;
    private static final int KEPT = 30 * 24;

    private final TestingCluster cluster = new TestingCluster();

    @Test
    void chunksEndInTheirOrderAcrossADaylightSavingGap() {
        Node node = cluster.leading(1);
        Partitioner.Time quarters = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "PT15M"), ZoneId.of("Europe/Rome")),
                1,
                Optional.of(IsoPeriod.parse("retention", "P1D")),
                IsoPeriod.parse("ahead", "P1D"));
        create(node, quarters, 1);
        setClock("2024-03-30T03:00:00Z");
        // Four chunks until 03:15 in Rome. The one until 02:45 expires at 03:45, as 02:45 does not exist on the next
        // day.
        int first = quarters.chunks()
                        .ordinalOf(Instant.parse("2024-03-30T01:15:00Z").toEpochMilli())
                - 1;
        List<Integer> ordinals = List.of(first, first + 2, first + 3, first + 4);
        cluster.admin(
                node,
                new AdminRequest.CreateChunks(
                        new TableName("t"), cluster.map("t").tableId(), ordinals));
        cluster.loop.run(TestingCluster.SECOND);
        assertThat(cluster.map("t").numbers()).containsExactlyElementsOf(ordinals);
        setClock("2024-03-31T01:20:00Z");
        cluster.loop.run(TestingCluster.SECOND);
        assertThat(cluster.map("t").numbers()).containsExactly(first + 2, first + 3, first + 4);
        setClock("2024-03-31T01:46:00Z");
        cluster.loop.run(TestingCluster.SECOND);
        assertThat(cluster.map("t").numbers()).isEmpty();
    }

    private void setClock(String time) {
        cluster.loop.wallStartMillis += Instant.parse(time).toEpochMilli() - cluster.loop.wallMillis();
    }

    private void create(Node node, Partitioner partitioner, int replicas) {
        cluster.create(
                node,
                new TableMeta(
                        new TableName("t"),
                        0,
                        partitioner,
                        "id",
                        ConsistencyLevel.EVENTUAL,
                        replicas,
                        1,
                        OnLoss.WAIT,
                        "kv",
                        Map.of()));
    }

    @Test
    void tenThousandChunksAreMadeAndExpire() {
        Node node = cluster.leading(3);
        Partitioner.Time hours = new Partitioner.Time(
                "ts",
                new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
                2,
                Optional.of(IsoPeriod.parse("retention", "P30D")),
                IsoPeriod.parse("ahead", "P30D"));
        create(node, hours, 2);
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
