package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.id;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import io.uniserve.placement.ChunkPolicy;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.coordinator.rebalance.ChunkSetup;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** New chunks are placed by the policy, which sees the chunks that were decided just before. */
class PolicyChunkPlacementTest {
    private static final TableName T = new TableName("t");
    private static final Partitioner.Time DAYS = new Partitioner.Time(
            "ts",
            new ChunkCalendar(IsoPeriod.parse("chunk", "P1D"), ZoneOffset.UTC),
            2,
            Optional.empty(),
            IsoPeriod.parse("ahead", "P900D"));

    private final TestingCluster cluster = new TestingCluster();
    private final List<ChunkPolicy.Input> inputs = new ArrayList<>();
    private Node node;

    PolicyChunkPlacementTest() {
        cluster.chunks = Optional.of(new ChunkSetup("fewest", this::fewest, 10_000_000_000L));
        node = cluster.leading(3);
    }

    /** Places each actor on the servers with the fewest actors. */
    private ChunkPolicy.Decision fewest(ChunkPolicy.Input input) {
        inputs.add(input);
        List<ServerId> hosts = new ArrayList<>();
        input.held().forEach(actor -> hosts.addAll(actor.hosts()));
        List<List<ServerId>> places = new ArrayList<>();
        for (int bucket = 0; bucket < input.chunk().buckets(); bucket++) {
            List<ServerId> servers = new ArrayList<>(
                    input.servers().stream().map(ChunkPolicy.Server::id).toList());
            servers.sort(java.util.Comparator.comparingLong(
                    server -> hosts.stream().filter(server::equals).count()));
            List<ServerId> chosen = servers.subList(0, Math.min(input.chunk().replicas(), servers.size()));
            hosts.addAll(chosen);
            places.add(chosen);
        }
        return new ChunkPolicy.Decision(
                places,
                input.servers().stream()
                        .map(server -> new ChunkPolicy.ServerCost(server.id(), 1))
                        .toList(),
                "actors",
                Optional.empty(),
                0);
    }

    private void create(int rf) {
        cluster.create(
                node, new TableMeta(T, 0, DAYS, "id", ConsistencyLevel.EVENTUAL, rf, 1, OnLoss.WAIT, "kv", Map.of()));
    }

    private int today() {
        return DAYS.chunks().ordinalOf(cluster.loop.wallMillis());
    }

    private void chunks(int count) {
        List<Integer> ordinals = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ordinals.add(today() + i);
        }
        cluster.admin(node, new AdminRequest.CreateChunks(T, cluster.map("t").tableId(), ordinals));
    }

    @Test
    void severalChunksOfOneRequestAreSpread() {
        create(1);
        chunks(6);
        assertThat(inputs).hasSize(6);
        for (String server : List.of("s1", "s2", "s3")) {
            assertThat(cluster.map("t").actors().stream()
                            .filter(actor -> actor.isr().contains(id(server))))
                    .as(server)
                    .hasSize(4);
        }
        assertThat(inputs.get(5).held()).as("the chunks before").hasSize(10);
        assertThat(inputs.get(5).chunk().end() - inputs.get(5).chunk().start()).isEqualTo(86_400_000L);
    }

    @Test
    void anExplanationChangesNothing() {
        create(2);
        chunks(1);
        AdminReply.ChunkExplanation told = (AdminReply.ChunkExplanation)
                cluster.admin(node, new AdminRequest.ExplainChunk(T, cluster.loop.wallMillis()));
        assertThat(told.policy()).isEqualTo("fewest");
        assertThat(told.firstActor()).isEqualTo(2 * today());
        assertThat(told.present())
                .hasSize(2)
                .allSatisfy(servers -> assertThat(servers).hasSize(2));
        assertThat(told.decision().costs()).hasSize(3);
        assertThat(inputs.get(inputs.size() - 1).held())
                .as("without the chunk itself")
                .isEmpty();
        AdminReply.ChunkExplanation next = (AdminReply.ChunkExplanation)
                cluster.admin(node, new AdminRequest.ExplainChunk(T, cluster.loop.wallMillis() + 86_400_000L));
        assertThat(next.present()).isEmpty();
        assertThat(cluster.map("t").actors()).hasSize(2);
    }

    @Test
    void tooFewServersAndTablesWithoutChunksAreRefused() {
        create(2);
        cluster.server("s2").kill();
        cluster.server("s3").kill();
        cluster.loop.run(10 * TestingCluster.SECOND);
        UniserveException error = cluster.refused(
                node, new AdminRequest.CreateChunks(T, cluster.map("t").tableId(), List.of(today())));
        assertThat(error.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(cluster.map("t").actors()).isEmpty();
        cluster.create(node, TestingCluster.table("u", 1, 1));
        assertThat(cluster.refused(node, new AdminRequest.ExplainChunk(new TableName("u"), 0))
                        .reason())
                .contains("not partitioned by time");
        assertThat(cluster.refused(node, new AdminRequest.ExplainChunk(new TableName("x"), 0))
                        .code())
                .isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    }
}
