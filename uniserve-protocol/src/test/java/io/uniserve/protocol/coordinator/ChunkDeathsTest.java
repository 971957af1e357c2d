package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.MILLI;
import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
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
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The leader ends before and after each of its events while it makes or expires a chunk; another one takes over. */
class ChunkDeathsTest {
    private static final TableName T = new TableName("t");
    private static final long HOUR = 3_600_000;
    private static final int BUCKETS = 2;
    private static final int EVENTS_MAX = 60;
    private static final Partitioner.Time HOURS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "PT1H"), ZoneOffset.UTC),
            BUCKETS,
            Optional.of(IsoPeriod.parse("retention", "PT3H")),
            IsoPeriod.parse("ahead", "PT1H"));

    private TestingCluster cluster = new TestingCluster();
    private Node node = cluster.leading(3);

    /** How the leader ends. */
    enum End {
        /** It stops. */
        STOP,
        /** Its session has expired and it does not know, so it continues to write. */
        DEPOSED
    }

    private void start(ConsistencyLevel level) {
        cluster = new TestingCluster();
        cluster.levels = Set.of(level);
        node = cluster.leading(3);
        cluster.create(node, new TableMeta(T, 0, HOURS, "id", level, 2, 1, OnLoss.WAIT, "kv", Map.of()));
    }

    private int chunk() {
        return HOURS.chunks().ordinalOf(cluster.loop.wallMillis());
    }

    private AdminRequest create(int chunk) {
        return new AdminRequest.CreateChunks(T, cluster.map("t").tableId(), List.of(chunk));
    }

    /** Runs this number of events, ends the leader, and waits for the next one. */
    private void endAfter(int events, End end) {
        int[] left = {events};
        cluster.loop.runUntil(() -> left[0]-- <= 0, SECOND);
        if (end == End.STOP) {
            node.machine().stop();
        } else {
            node.registry().expireUnnoticed();
        }
        Node next = cluster.coordinator("c2");
        assertThat(cluster.loop.runUntil(next.machine()::isLeader, 60 * SECOND)).isTrue();
        node = next;
    }

    @ParameterizedTest
    @EnumSource
    void aChunkIsMadeOnce(End end) {
        makesAChunkOnce(end, ConsistencyLevel.EVENTUAL);
    }

    /** Its creation also reads the transaction log. */
    @ParameterizedTest
    @EnumSource
    void aChunkOfAnAtomicTableIsMadeOnce(End end) {
        makesAChunkOnce(end, ConsistencyLevel.SERIALIZABLE);
        assertThat(cluster.map("t").actors()).allMatch(actor -> actor.firstVersion() == 1);
    }

    private void makesAChunkOnce(End end, ConsistencyLevel level) {
        TreeSet<Boolean> madeBefore = new TreeSet<>();
        for (int events = 0; events < EVENTS_MAX; events++) {
            start(level);
            int chunk = chunk();
            List<Outcome<AdminReply>> first = new ArrayList<>();
            if (events == 0 && level == ConsistencyLevel.EVENTUAL) {
                node.registry().loseNextWrite(); // it ends with the process
            }
            node.machine().onAdmin(create(chunk), first::add);
            endAfter(events, end);
            madeBefore.add(cluster.map("t").has(BUCKETS * chunk));
            cluster.loop.run(5 * SECOND); // the next leader has read its state
            cluster.admin(node, create(chunk));
            cluster.loop.run(5 * SECOND);
            TableMap map = cluster.map("t");
            assertThat(map.numbers()).as("after " + events).containsExactly(BUCKETS * chunk, BUCKETS * chunk + 1);
            assertThat(map.generation()).as("after " + events).isEqualTo(1);
            assertThat(first.size()).as("answers").isLessThanOrEqualTo(1);
        }
        boolean deposedAfterRead = level.atomic() && end == End.DEPOSED; // until the next leader it may write
        assertThat(madeBefore)
                .as("the leader ended before and after the write")
                .containsExactlyElementsOf(deposedAfterRead ? List.of(true) : List.of(false, true));
    }

    @ParameterizedTest
    @EnumSource
    void aChunkExpiresOnce(End end) {
        TreeSet<Boolean> expiredBefore = new TreeSet<>();
        for (int events = 0; events < EVENTS_MAX; events++) {
            start(ConsistencyLevel.EVENTUAL);
            int chunk = chunk();
            cluster.admin(node, create(chunk));
            cluster.admin(node, create(chunk + 1));
            cluster.loop.run(100 * MILLI);
            cluster.loop.wallStartMillis += 4 * HOUR;
            endAfter(events, end);
            expiredBefore.add(!cluster.map("t").has(BUCKETS * chunk));
            assertThat(cluster.loop.runUntil(() -> !cluster.map("t").has(BUCKETS * chunk), 30 * SECOND))
                    .as("after " + events)
                    .isTrue();
            TableMap map = cluster.map("t");
            assertThat(map.numbers()).containsExactly(BUCKETS * chunk + 2, BUCKETS * chunk + 3);
            assertThat(map.expiredBefore()).isEqualTo(chunk + 1);
            cluster.loop.run(5 * SECOND);
            cluster.loop.wallStartMillis -= 4 * HOUR;
            assertThat(cluster.refused(node, create(chunk)).code()).isEqualTo(ErrorCode.CHUNK_EXPIRED);
        }
        assertThat(expiredBefore)
                .as("the leader ended before and after the write")
                .containsExactly(false, true);
    }
}
