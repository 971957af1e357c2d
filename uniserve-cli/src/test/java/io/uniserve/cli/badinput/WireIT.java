package io.uniserve.cli.badinput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import io.uniserve.client.UniserveClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.Routing.TableRoute;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.ModelProto;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Requests of a broken or hostile program, to the coordinator and to each server. */
@ExtendWith(BadInputCluster.Shared.class)
class WireIT {
    /** {@code new java.util.PriorityQueue(...)} in Java's serialization format. */
    private static final byte[] JAVA_OBJECT = HexFormat.of()
            .parseHex(
                    "aced0005737200176a6176612e7574696c2e5072696f72697479517565756594da30b4fb3f82b103000249000473697a654c000a636f"
                            + "6d70617261746f727400164c6a6176612f7574696c2f436f6d70617261746f723b7870000000027073720011");

    private final BadInputCluster bad;
    private final RawCalls coordinator;
    private final RawCalls server;
    private final String cluster;
    private final TableRoute words;

    WireIT(BadInputCluster bad) {
        this.bad = bad;
        coordinator = new RawCalls(bad.cluster.coordinator().toString());
        words = bad.client.admin().describeTable("words");
        var primary = words.map().actors().get(0).primary();
        server = new RawCalls(bad.client.routing().servers().stream()
                .filter(record -> record.id().equals(primary))
                .map(record -> record.address().toString())
                .findAny()
                .orElseThrow());
        cluster = bad.client.routing().clusterId();
    }

    @AfterEach
    void close() {
        coordinator.close();
        server.close();
    }

    private DataProto.ReadRequest.Builder read() {
        return DataProto.ReadRequest.newBuilder()
                .setTable("words")
                .setTableId(words.meta().tableId())
                .setOperator("kv.count@1")
                .setParameters(ByteString.copyFrom(new byte[4]))
                .setRemainingNanos(5_000_000_000L)
                .setModeValue(1)
                .addTargets(DataProto.ReadTarget.newBuilder()
                        .setEpoch(words.map().actors().get(0).epoch()));
    }

    private DataProto.UpdateRequest.Builder update(ByteString rows) {
        return DataProto.UpdateRequest.newBuilder()
                .setTable("words")
                .setTableId(words.meta().tableId())
                .setRequest(ModelProto.RequestId.newBuilder().setClientLow(9).setSequence(1))
                .setLevelValue(2)
                .setFunction("kv.put@1")
                .setRemainingNanos(5_000_000_000L)
                .addActors(DataProto.ActorRows.newBuilder()
                        .setEpoch(words.map().actors().get(0).epoch())
                        .setRows(rows));
    }

    private void refusedRead(DataProto.ReadRequest.Builder request, String... message) {
        DataProto.ReadsCall call = DataProto.ReadsCall.newBuilder()
                .setCluster(cluster)
                .setId(1)
                .setRead(request)
                .build();
        bad.refused(ErrorCode.INVALID_ARGUMENT, () -> server.read(call), message);
    }

    private void refusedUpdate(ErrorCode code, DataProto.UpdateRequest.Builder request, String... message) {
        DataProto.UpdateCall call = DataProto.UpdateCall.newBuilder()
                .setCluster(cluster)
                .setRequest(request)
                .build();
        bad.refused(code, () -> server.update(call), message);
    }

    @Test
    void fieldsOfReads() {
        for (String name : List.of("", "../x", "/", "a\0b", "x".repeat(100_000))) {
            refusedRead(read().setTable(name), "table name");
        }
        for (long nanos : new long[] {-1, 0, Long.MIN_VALUE, Long.MAX_VALUE}) {
            refusedRead(read().setRemainingNanos(nanos), "deadline");
        }
        refusedRead(read().setTableId(-1), "table_id");
        refusedRead(read().setModeValue(77), "mode");
        refusedRead(read().clearTargets(), "actors");
        refusedRead(read().addTargets(DataProto.ReadTarget.newBuilder()), "twice");
        refusedRead(read().addTargets(DataProto.ReadTarget.newBuilder().setActor(-1)), "actor");
        refusedRead(read().addTargets(DataProto.ReadTarget.newBuilder().setActor(Integer.MAX_VALUE)), "actor");
        refusedRead(
                read().addTargets(DataProto.ReadTarget.newBuilder().setActor(1).setEpoch(-1)), "epoch");
        refusedRead(read().setOperator("x".repeat(100_000)), "operator");
        refusedRead(read().setParameters(ByteString.copyFrom(new byte[Limits.PARAMETER_BYTES_MAX + 1])), "parameters");
    }

    private DataProto.UpdateRequest.Builder staged(long bytes, String sha256) {
        DataProto.UpdateRequest.Builder update = update(ByteString.EMPTY);
        update.getActorsBuilder(0)
                .setStaged(ModelProto.StagedRows.newBuilder().setBytes(bytes).setSha256(sha256));
        return update;
    }

    @Test
    void fieldsOfUpdates() {
        ByteString none = ByteString.copyFrom(new byte[4]);
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).setTable("../x"), "table name");
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).clearRequest(), "request");
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).clearActors(), "no actor");
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).setLevelValue(0), "level");
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).setRemainingNanos(-1), "deadline");
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).setLowWater(-1), "low_water");
        ByteString large = ByteString.copyFrom(new byte[Limits.BATCH_BYTES_MAX + 1]);
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(large), "rows", "" + Limits.BATCH_BYTES_MAX);
        for (long bytes : new long[] {-1, 0, Limits.BATCH_BYTES_MAX + 1L}) {
            refusedUpdate(ErrorCode.INVALID_ARGUMENT, staged(bytes, "0".repeat(64)), "staged.bytes is " + bytes);
        }
        for (String sha256 : new String[] {"", "0", "0".repeat(65), "A".repeat(64), "../".repeat(21) + "x"}) {
            refusedUpdate(ErrorCode.INVALID_ARGUMENT, staged(1, sha256), "staged.sha256");
        }
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, staged(1, "0".repeat(64)), "send them directly");
        refusedUpdate(ErrorCode.INVALID_ARGUMENT, update(none).setStages(true), "send them directly");
        refusedUpdate(
                ErrorCode.TABLE_NOT_FOUND, update(none).setTableId(words.meta().tableId() + 1000), "does not exist");
    }

    @Test
    void rowsThatAreNoRows() {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 20; i++) {
            byte[] rows = new byte[random.nextInt(0, 200)];
            random.nextBytes(rows);
            ClusterState before = ClusterState.settled(bad.client);
            DataProto.UpdateReply reply = server.update(DataProto.UpdateCall.newBuilder()
                    .setCluster(cluster)
                    .setRequest(update(ByteString.copyFrom(rows)))
                    .build());
            assertThat(reply.getAcksList()).isEmpty();
            assertThat(reply.getFailures(0).getCode())
                    .isIn(ErrorCode.INVALID_ROW.number(), ErrorCode.TOO_LARGE.number());
            assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
        }
    }

    @Test
    void definitionsOfTables() {
        for (int actors : new int[] {0, -1, 1_000_000_000, Integer.MIN_VALUE}) {
            refusedTable(table("more").setPartitioner(hash(actors)), "actors");
        }
        for (String name : List.of("", "../x", "/", "a\0b", "x".repeat(100_000))) {
            refusedTable(table(name), "table name");
            refusedTable(table("more").setKeyField(name.equals("../x") || name.equals("/") ? "" : name), "key");
        }
        refusedTable(table("more").setRf(0), "rf");
        refusedTable(table("more").setRf(-1), "rf");
        refusedTable(table("more").setRf(3), "rf is 3 but 2 servers", "smaller rf");
        refusedTable(table("more").setMinIsr(5), "minIsr");
        refusedTable(table("more").setLevelValue(9), "level");
        refusedTable(table("more").clearPartitioner(), "partitioner");
        refusedTable(
                table("more")
                        .setPartitioner(ModelProto.Partitioner.newBuilder()
                                .setRange(ModelProto.Partitioner.Range.newBuilder()
                                        .addBounds(5)
                                        .addBounds(5))),
                "bounds");
        refusedTable(table("more").putOptions("no", "such"), "option");
    }

    private static ModelProto.TableMeta.Builder table(String name) {
        return ModelProto.TableMeta.newBuilder()
                .setName(name)
                .setPartitioner(hash(2))
                .setKeyField("id")
                .setLevelValue(1)
                .setRf(1)
                .setMinIsr(1)
                .setOnLossValue(1)
                .setPort("kv");
    }

    private static ModelProto.Partitioner hash(int actors) {
        return ModelProto.Partitioner.newBuilder()
                .setHash(ModelProto.Partitioner.Hash.newBuilder().setActors(actors))
                .build();
    }

    private void refusedTable(ModelProto.TableMeta.Builder meta, String... message) {
        AdminProto.AdminCall call = AdminProto.AdminCall.newBuilder()
                .setCluster(cluster)
                .setCreateTable(AdminProto.CreateTable.newBuilder().setMeta(meta))
                .build();
        bad.refused(ErrorCode.INVALID_ARGUMENT, () -> coordinator.admin(call), message);
    }

    @Test
    void clientsOfAnotherCluster() {
        for (String other : List.of("another", "")) {
            bad.refused(
                    ErrorCode.WRONG_CLUSTER,
                    () -> server.read(DataProto.ReadsCall.newBuilder()
                            .setCluster(other)
                            .setRead(read())
                            .build()),
                    "check the addresses");
            bad.refused(
                    ErrorCode.WRONG_CLUSTER,
                    () -> coordinator.admin(AdminProto.AdminCall.newBuilder()
                            .setCluster(other)
                            .setDropTable(AdminProto.DropTable.newBuilder().setName("words"))
                            .build()),
                    "check the addresses");
        }
        bad.refused(
                ErrorCode.WRONG_CLUSTER,
                () -> UniserveClient.builder()
                        .bootstrap(bad.cluster.bootstrap().toArray(String[]::new))
                        .clusterId("another")
                        .build()
                        .close(),
                "another");
    }

    @Test
    void messagesOverTheLimit() {
        ClusterState before = ClusterState.settled(bad.client);
        DataProto.QueryCall huge = DataProto.QueryCall.newBuilder()
                .setCluster(cluster)
                .setRequest(DataProto.QueryRequest.newBuilder().setText("x".repeat(Limits.MESSAGE_BYTES_MAX + 1)))
                .build();
        assertThatThrownBy(() -> server.query(huge)).isInstanceOf(StatusRuntimeException.class);
        assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
        DataProto.QueryCall text = DataProto.QueryCall.newBuilder()
                .setCluster(cluster)
                .setRequest(DataProto.QueryRequest.newBuilder()
                        .setTable("words")
                        .setRemainingNanos(1_000_000_000)
                        .setText("x".repeat(Limits.QUERY_TEXT_CHARS_MAX + 1)))
                .build();
        bad.refused(ErrorCode.INVALID_ARGUMENT, () -> server.query(text), "" + Limits.QUERY_TEXT_CHARS_MAX);
    }

    @Test
    void garbageAndAJavaObjectOnEveryPort() throws IOException {
        ClusterState before = ClusterState.settled(bad.client);
        SplittableRandom random = new SplittableRandom(3);
        byte[] preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        for (String address : bad.cluster.bootstrap()) {
            for (int i = 0; i < 10; i++) {
                byte[] garbage = new byte[random.nextInt(1, 20_000)];
                random.nextBytes(garbage);
                send(address, garbage);
                send(address, preface, garbage);
            }
            send(address, JAVA_OBJECT);
            send(address, preface, JAVA_OBJECT);
            send(address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(ClusterState.settled(bad.client)).isEqualTo(before);
        assertThat(bad.cluster.failures()).isEmpty();
    }

    private static void send(String address, byte[]... parts) throws IOException {
        String[] words = address.split(":");
        try (Socket socket = new Socket(words[0], Integer.parseInt(words[1]))) {
            socket.setSoTimeout(10_000);
            OutputStream out = socket.getOutputStream();
            for (byte[] part : parts) {
                out.write(part);
            }
            socket.shutdownOutput();
            assertThat(socket.getInputStream().readAllBytes()).hasSizeLessThan(100_000);
        } catch (java.net.SocketException e) {
            // A reset during a send or read is as good as a close.
            assertThat(e).hasMessageMatching(".*(reset|Broken pipe|closed).*");
        }
    }
}
