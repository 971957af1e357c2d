package io.uniserve.protocol.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Change of the options of an existing table. */
class TableUpdateTest {
    private static final TableName T = new TableName("t");
    private static final Map<String, String> NEXT = Map.of("configset.later", "x");

    private final TestingCluster cluster = new TestingCluster();
    private TestingCluster.Node node;
    private TableMeta first;

    @BeforeEach
    void create() {
        node = cluster.leading(3);
        cluster.create(node, TestingCluster.table("t", 2, 2));
        first = meta();
    }

    private TableMeta meta() {
        return (TableMeta) Objects.requireNonNull(cluster.store.value(RegistryPaths.meta(T)));
    }

    private int version() {
        return cluster.store.read(RegistryPaths.map(T)).version();
    }

    private void refused(AdminRequest request, ErrorCode code, String named) {
        TableMeta before = meta();
        int version = version();
        UniserveException error = cluster.refused(node, request);
        assertThat(error.code()).as(error.getMessage()).isEqualTo(code);
        assertThat(error.reason()).contains(named);
        assertThat(meta()).isEqualTo(before);
        assertThat(version()).isEqualTo(version);
    }

    @Test
    void theDefinitionIsReplacedOnceAndEveryServerKnowsIt() {
        TableMap map = cluster.map("t");
        int version = version();
        cluster.server("s2").ignorance = 3;
        AdminRequest request = new AdminRequest.UpdateTable(first, NEXT);
        assertThat(cluster.admin(node, request)).isEqualTo(new AdminReply.Ack());
        assertThat(cluster.server("s2").ignorance).isNegative();
        assertThat(meta()).isEqualTo(first.with(NEXT));
        assertThat(cluster.map("t")).isEqualTo(map);
        assertThat(version()).as("the map changes for watchers").isEqualTo(version + 1);
        assertThat(cluster.admin(node, request)).as("repeated").isEqualTo(new AdminReply.Ack());
        assertThat(version()).isEqualTo(version + 1);
    }

    @Test
    void whoKnowsAnotherDefinitionChangesNothing() {
        cluster.admin(node, new AdminRequest.UpdateTable(first, NEXT));
        refused(new AdminRequest.UpdateTable(first, Map.of("configset.later", "y")), ErrorCode.VERSION_GONE, "changed");
        cluster.admin(node, new AdminRequest.UpdateTable(meta(), Map.of("configset.later", "y")));
        assertThat(meta().options()).containsEntry("configset.later", "y");
    }

    @Test
    void whatThePortOrTheRulesRefuseChangesNothing() {
        for (String name : new String[] {"s1", "s2", "s3"}) {
            cluster.server(name).refusal = UniserveException.invalid("field \"a\" is removed");
        }
        refused(new AdminRequest.UpdateTable(first, NEXT), ErrorCode.INVALID_ARGUMENT, "\"a\"");
        refused(
                new AdminRequest.UpdateTable(first, Map.of("a", "x".repeat(Limits.TABLE_OPTION_BYTES_MAX + 1))),
                ErrorCode.TOO_LARGE,
                "options");
        TableMeta other = TestingCluster.table("nothing", 2, 2);
        refused(new AdminRequest.UpdateTable(other, NEXT), ErrorCode.TABLE_NOT_FOUND, "nothing");
    }

    @Test
    void aDeadServerIsNotWaitedForAndTheNextLeaderFindsWhatIsDone() {
        cluster.server("s3").kill();
        cluster.loop.run(20_000 * TestingCluster.MILLI);
        assertThat(cluster.admin(node, new AdminRequest.UpdateTable(meta(), NEXT)))
                .isEqualTo(new AdminReply.Ack());
        assertThat(meta().options()).isEqualTo(NEXT);
    }
}
