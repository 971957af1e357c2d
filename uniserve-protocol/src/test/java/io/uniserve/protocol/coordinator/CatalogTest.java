package io.uniserve.protocol.coordinator;

import static io.uniserve.protocol.coordinator.context.TestingCluster.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.BackupRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.RegistryPaths;
import io.uniserve.protocol.coordinator.context.TestingCluster;
import io.uniserve.protocol.coordinator.context.TestingCluster.Node;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Registry.Op;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class CatalogTest {
    private final TestingCluster cluster = new TestingCluster();
    private final Node node = cluster.leading(3);

    private static TableMeta with(
            TableMeta m, String keyField, ConsistencyLevel level, int rf, int minIsr, String port) {
        return new TableMeta(m.name(), 0, m.partitioner(), keyField, level, rf, minIsr, m.onLoss(), port, m.options());
    }

    private static TableMeta options(Map<String, String> options) {
        TableMeta m = TestingCluster.table("t", 2, 2);
        return new TableMeta(
                m.name(), 0, m.partitioner(), "id", m.level(), m.rf(), m.minIsr(), m.onLoss(), m.port(), options);
    }

    private void refuses(TableMeta meta, ErrorCode code, String... words) {
        UniserveException error = cluster.refused(node, new AdminRequest.CreateTable(meta));
        assertThat(error.code()).isEqualTo(code);
        assertThat(error.reason()).contains(words);
        assertThat(cluster.store.value(RegistryPaths.meta(meta.name()))).isNull();
        assertThat(cluster.store.read(RegistryPaths.CLUSTER).version()).isZero();
    }

    @Test
    void definitionsThatCannotBeServedAreRefusedAndNothingChanges() {
        TableMeta good = TestingCluster.table("t", 2, 2);
        ConsistencyLevel eventual = ConsistencyLevel.EVENTUAL;
        refuses(with(good, "id", eventual, 0, 1, "kv"), ErrorCode.INVALID_ARGUMENT, "rf is 0");
        refuses(with(good, "id", eventual, -1, 1, "kv"), ErrorCode.INVALID_ARGUMENT, "rf is -1");
        refuses(with(good, "id", eventual, 4, 1, "kv"), ErrorCode.INVALID_ARGUMENT, "rf is 4", "3 servers are live");
        refuses(with(good, "id", eventual, 1_000_000_000, 1, "kv"), ErrorCode.INVALID_ARGUMENT, "rf is 1000000000");
        refuses(with(good, "id", eventual, 2, 0, "kv"), ErrorCode.INVALID_ARGUMENT, "minIsr is 0");
        refuses(with(good, "id", eventual, 2, 3, "kv"), ErrorCode.INVALID_ARGUMENT, "minIsr is 3");
        refuses(with(good, "", eventual, 2, 1, "kv"), ErrorCode.INVALID_ARGUMENT, "keyField");
        refuses(with(good, "i\0d", eventual, 2, 1, "kv"), ErrorCode.INVALID_ARGUMENT, "keyField");
        refuses(with(good, "id", eventual, 2, 1, ""), ErrorCode.INVALID_ARGUMENT, "port");
        refuses(with(good, "id", eventual, 2, 1, "solr"), ErrorCode.UNKNOWN_PORT, "\"solr\"", "[kv]");
        refuses(with(good, "id", ConsistencyLevel.SERIALIZABLE, 2, 1, "kv"), ErrorCode.UNSUPPORTED, "EVENTUAL");
        refuses(with(good, "id", ConsistencyLevel.FULLY_SERIALIZABLE, 2, 1, "kv"), ErrorCode.UNSUPPORTED, "EVENTUAL");
        refuses(TestingCluster.onLoss(good, OnLoss.RESTORE_TABLE), ErrorCode.INVALID_ARGUMENT, "RESTORE_TABLE");
        refuses(options(Map.of("a", "x".repeat(Limits.TABLE_OPTION_BYTES_MAX))), ErrorCode.TOO_LARGE, "bytes");
        Map<String, String> many = new TreeMap<>();
        for (int i = 0; i <= Limits.TABLE_OPTIONS_MAX; i++) {
            many.put("o" + i, "");
        }
        refuses(options(many), ErrorCode.TOO_LARGE, "65 options");
    }

    @Test
    void thePortsOwnRefusalIsPassedOn() {
        UniserveException refusal = UniserveException.invalid("option schema is missing: give schema=...");
        cluster.servers.values().forEach(s -> s.refusal = refusal);
        refuses(TestingCluster.table("t", 2, 2), ErrorCode.INVALID_ARGUMENT, "option schema");
    }

    @Test
    void aServerThatDoesNotAnswerIsNotTheLastToBeAskedForValidation() {
        cluster.server("s1").refusal = new UniserveException(ErrorCode.UNAVAILABLE, "busy");
        cluster.create(node, TestingCluster.table("t", 2, 2));
        assertThat(cluster.map("t").actors()).hasSize(2);
    }

    @Test
    void aTableIsCreatedDescribedListedAndDropped() {
        cluster.create(node, TestingCluster.table("t", 6, 2));
        cluster.create(node, TestingCluster.table("u", 1, 1));
        assertThat(cluster.refused(node, new AdminRequest.CreateTable(TestingCluster.table("t", 1, 1)))
                        .code())
                .isEqualTo(ErrorCode.TABLE_EXISTS);
        AdminReply described = cluster.admin(node, new AdminRequest.DescribeTable(new TableName("t")));
        assertThat(described)
                .isInstanceOfSatisfying(
                        AdminReply.Tables.class,
                        tables -> assertThat(tables.tables())
                                .singleElement()
                                .satisfies(route -> assertThat(route.map()).isEqualTo(cluster.map("t"))));
        long id = cluster.map("t").tableId();
        assertThat(cluster.admin(node, new AdminRequest.DropTable(new TableName("t"))))
                .isEqualTo(new AdminReply.Ack());
        assertThat(cluster.store.value("/tables/t/map")).isNull();
        assertThat(cluster.store.value("/tables/t/meta")).isNull();
        assertThat(node.machine().routing().orElseThrow().tables()).hasSize(1);
        for (AdminRequest request : List.of(
                new AdminRequest.DescribeTable(new TableName("t")), new AdminRequest.DropTable(new TableName("t")))) {
            assertThat(cluster.refused(node, request).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        }
        cluster.create(node, TestingCluster.table("t", 1, 1));
        assertThat(cluster.map("t").tableId()).isGreaterThan(id);
    }

    @Test
    void backupRecordsOfADroppedTableAreSweptThoseOfItsSuccessorNot() {
        cluster.create(node, TestingCluster.table("t", 2, 2));
        BackupRecord old = new BackupRecord(cluster.key("t", 0), true, 1, 1, "", 0);
        cluster.store.multi("s", List.of(new Op.Create("/tables/t/backup/0", old, false)));
        cluster.admin(node, new AdminRequest.DropTable(new TableName("t")));
        cluster.create(node, TestingCluster.table("t", 2, 2));
        BackupRecord fresh = new BackupRecord(cluster.key("t", 1), true, 1, 1, "", 0);
        cluster.store.multi("s", List.of(new Op.Create("/tables/t/backup/1", fresh, false)));
        cluster.loop.run(3 * SECOND);
        assertThat(cluster.store.value("/tables/t/backup/0")).isNull();
        assertThat(cluster.store.value("/tables/t/backup/1")).isEqualTo(fresh);
    }

    @Test
    void unknownOutcomesOfCreateAndDropAreReadNotGuessed() {
        node.registry().loseNextAnswer();
        cluster.create(node, TestingCluster.table("t", 2, 2));
        node.registry().loseNextWrite();
        cluster.create(node, TestingCluster.table("u", 2, 2));
        assertThat(cluster.map("u").tableId()).isEqualTo(cluster.map("t").tableId() + 1);
        node.registry().loseNextAnswer();
        cluster.admin(node, new AdminRequest.DropTable(new TableName("t")));
        node.registry().loseNextWrite();
        cluster.admin(node, new AdminRequest.DropTable(new TableName("u")));
        assertThat(cluster.store.value("/tables/t/meta")).isNull();
        assertThat(cluster.store.value("/tables/u/meta")).isNull();
    }

    @Test
    void theSameNameTwiceAtOnceIsCreatedOnce() {
        List<Outcome<AdminReply>> answers = new ArrayList<>();
        AdminRequest request = new AdminRequest.CreateTable(TestingCluster.table("t", 2, 2));
        node.machine().onAdmin(request, answers::add);
        node.machine().onAdmin(request, answers::add);
        cluster.loop.run(5 * SECOND);
        assertThat(answers).hasSize(2).contains(Outcome.ok(new AdminReply.Ack()));
        assertThat(answers.get(0))
                .isInstanceOfSatisfying(
                        Outcome.Err.class, err -> assertThat(err.error().code()).isEqualTo(ErrorCode.TABLE_EXISTS));
    }

    @Test
    void aTableWhosePrimariesDoNotStartExistsAndTheAnswerSaysSo() {
        cluster.servers.values().forEach(s -> s.slow = true);
        UniserveException error = cluster.refused(node, new AdminRequest.CreateTable(TestingCluster.table("t", 2, 2)));
        assertThat(error.code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(error.reason()).contains("table t exists", "2 of its 2 actors");
        assertThat(cluster.map("t").actors()).hasSize(2);
    }

    @Test
    void statusNamesTheServersThatAnswer() {
        cluster.create(node, TestingCluster.table("t", 3, 3));
        cluster.server("s2").hang();
        AdminReply reply = cluster.admin(node, new AdminRequest.Status());
        assertThat(reply).isInstanceOfSatisfying(AdminReply.ClusterStatus.class, status -> {
            assertThat(status.loads()).extracting(l -> l.server().value()).containsExactly("s1", "s3");
            assertThat(status.routing().tables()).hasSize(1);
            assertThat(status.term())
                    .isEqualTo(node.machine().term().orElseThrow().longValue());
        });
    }

    @Test
    void routingIsPushedWhenTablesAndServersChange() {
        List<Integer> tables = new ArrayList<>();
        List<Integer> servers = new ArrayList<>();
        node.machine().onRouting(routing -> {
            tables.add(routing.tables().size());
            servers.add(routing.servers().size());
        });
        cluster.create(node, TestingCluster.table("t", 1, 1));
        assertThat(tables).endsWith(1);
        cluster.server("s4").start();
        cluster.loop.run(SECOND);
        assertThat(servers).endsWith(4);
        cluster.admin(node, new AdminRequest.DropTable(new TableName("t")));
        cluster.loop.run(SECOND);
        assertThat(tables).endsWith(0);
    }
}
