package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.ClusterRecord;
import io.uniserve.model.registry.TableMap;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.proto.data.ConsistentSnapshotMapping;
import io.uniserve.runtime.proto.data.UpdateMapping;
import io.uniserve.runtime.proto.data.VersionedReadMapping;
import io.uniserve.runtime.proto.peer.AtomicMapping;
import io.uniserve.runtime.proto.peer.PeerRequestMapping;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Malformed bytes are rejected with INVALID_ARGUMENT, never with another exception. */
class HostileBytesTest {
    private static final int ROUNDS = 3_000;

    private static ReadRequest read(long seed) {
        return new RandomValues(seed).next(ReadRequest.class);
    }

    @Test
    void refusesDamagedMessages() {
        SplittableRandom random = new SplittableRandom(7);
        int parsed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] request = damage(random, ReadMapping.toProto(read(round)).toByteArray());
            byte[] update = damage(
                    random,
                    UpdateMapping.toProto(new RandomValues(round).next(UpdateRequest.class))
                            .toByteArray());
            byte[] versioned = damage(
                    random,
                    VersionedReadMapping.toProto(new RandomValues(round).next(VersionedRead.class))
                            .toByteArray());
            byte[] prepare = damage(
                    random,
                    PeerRequestMapping.toProto("c", new RandomValues(round).next(PeerRequest.Prepare.class))
                            .toByteArray());
            byte[] peer = damage(
                    random,
                    PeerRequestMapping.toProto("c", new RandomValues(round).next(PeerRequest.Replicate.class))
                            .toByteArray());
            parsed += refusedOrFine(() -> ReadMapping.fromProto(DataProto.ReadRequest.parseFrom(request)));
            parsed += refusedOrFine(() -> UpdateMapping.fromProto(DataProto.UpdateRequest.parseFrom(update)));
            parsed += refusedOrFine(() -> PeerRequestMapping.fromProto(PeerProto.PeerEnvelope.parseFrom(peer)));
            parsed += refusedOrFine(() -> VersionedReadMapping.fromProto(DataProto.VersionedRead.parseFrom(versioned)));
            parsed += refusedOrFine(() -> PeerRequestMapping.fromProto(PeerProto.PeerEnvelope.parseFrom(prepare)));
        }
        // Enough damaged messages must reach the mapping for a meaningful test.
        assertThat(parsed).isGreaterThan(ROUNDS / 2);
    }

    @Test
    void refusesDamagedRegistryNodesAsCorrupt() {
        SplittableRandom random = new SplittableRandom(8);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] node = damage(random, RegistryCodec.encode(new RandomValues(round).next(TableMap.class)));
            try {
                RegistryCodec.decode("/tables/t/map", node);
            } catch (UniserveException e) {
                assertThat(e.code()).isIn(ErrorCode.CORRUPT, ErrorCode.UNSUPPORTED);
                assertThat(e.reason()).contains("/tables/t/map");
            }
        }
    }

    @Test
    void refusesDamagedTransactionLogsAsCorrupt() {
        SplittableRandom random = new SplittableRandom(9);
        for (int round = 0; round < ROUNDS; round++) {
            byte[] node = damage(random, RegistryCodec.encode(new RandomValues(round).next(TransactionLogState.class)));
            try {
                RegistryCodec.decode("/tables/t/log-9", node);
            } catch (UniserveException e) {
                assertThat(e.code()).isIn(ErrorCode.CORRUPT, ErrorCode.UNSUPPORTED);
            }
        }
    }

    @Test
    void onlyALogWithChunkVersionsHasTheNewestFormat() throws InvalidProtocolBufferException {
        TransactionLogState byKey = TransactionLogState.empty(9);
        TransactionLogState restored = TransactionLogState.restored(9, 4, 6, 3);
        assertThat(RegistryProto.RegistryNode.parseFrom(RegistryCodec.encode(byKey))
                        .getFormat())
                .isEqualTo(1);
        assertThat(RegistryProto.RegistryNode.parseFrom(RegistryCodec.encode(restored))
                        .getFormat())
                .isEqualTo(RegistryCodec.FORMAT);
        assertThat(RegistryCodec.decode("/tables/t/log-9", RegistryCodec.encode(restored)))
                .isEqualTo(restored);
    }

    @Test
    void refusesALaterFormat() {
        byte[] node = RegistryProto.RegistryNode.newBuilder()
                .setFormat(RegistryCodec.FORMAT + 1)
                .build()
                .toByteArray();
        assertThatThrownBy(() -> RegistryCodec.decode("/cluster", node))
                .hasMessageContaining("UNSUPPORTED")
                .hasMessageContaining("upgrade");
    }

    @Test
    void aClusterOfAnEarlierFormatHasTheEarlierLayout() throws InvalidProtocolBufferException {
        byte[] bytes = RegistryCodec.encode(new ClusterRecord("c", 1));
        assertThat(((ClusterRecord) RegistryCodec.decode("/cluster", bytes)).unsupportedError())
                .isNull();
        byte[] older = RegistryProto.RegistryNode.parseFrom(bytes).toBuilder()
                .setFormat(2)
                .build()
                .toByteArray();
        ClusterRecord read = (ClusterRecord) RegistryCodec.decode("/cluster", older);
        assertThat(read.unsupportedError()).isNotNull();
        assertThat(RegistryCodec.decode("/cluster", RegistryCodec.encode(read)))
                .as("stays so")
                .isEqualTo(read);
    }

    @Test
    void ignoresFieldsOfALaterVersion() throws InvalidProtocolBufferException {
        RegistryProto.RegistryNode node =
                RegistryProto.RegistryNode.parseFrom(RegistryCodec.encode(new ClusterRecord("c", 1)));
        byte[] extended = node.toBuilder()
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                99,
                                UnknownFieldSet.Field.newBuilder().addVarint(5).build())
                        .build())
                .build()
                .toByteArray();
        assertThat(RegistryCodec.decode("/cluster", extended)).isEqualTo(new ClusterRecord("c", 1));
    }

    @Test
    void boundsCountsLengthsAndDeadlines() {
        DataProto.ReadRequest good = ReadMapping.toProto(read(1));
        DataProto.ReadRequest.Builder many = good.toBuilder();
        for (int i = 0; i <= Limits.TIME_ACTORS_PER_TABLE_MAX; i++) {
            many.addTargets(DataProto.ReadTarget.newBuilder().setActor(1));
        }
        refused(many.build(), "targets");
        refused(good.toBuilder().setRemainingNanos(-1).build(), "deadline");
        refused(good.toBuilder().setRemainingNanos(Long.MAX_VALUE).build(), "deadline");
        refused(good.toBuilder().setModeValue(9).build(), "mode");
        refused(good.toBuilder().setModeValue(0).build(), "mode");
        refused(good.toBuilder().setTable("../x").build(), "table name");
        refused(good.toBuilder().setOperator("x".repeat(10_000)).build(), "operator");
        refused(good.toBuilder().setTableId(-5).build(), "table_id");
        refused(
                good.toBuilder()
                        .setParameters(ByteString.copyFrom(new byte[Limits.PARAMETER_BYTES_MAX + 1]))
                        .build(),
                "parameters");
        refused(
                good.toBuilder()
                        .addTargets(DataProto.ReadTarget.newBuilder().setActor(-1))
                        .build(),
                "actor");
    }

    @Test
    void boundsReadsOfOneVersion() {
        DataProto.VersionedRead good = VersionedReadMapping.toProto(new RandomValues(1).next(VersionedRead.class));
        DataProto.VersionedRead.Builder many = good.toBuilder();
        for (int i = 0; i <= Limits.TIME_ACTORS_PER_TABLE_MAX; i++) {
            many.addTargets(DataProto.VersionedTarget.newBuilder().setActor(1));
        }
        refused(() -> VersionedReadMapping.fromProto(many.build()), "targets");
        refused(() -> VersionedReadMapping.fromProto(good.toBuilder().setAt(-1).build()), "at is -1");
        refused(
                () -> VersionedReadMapping.fromProto(
                        good.toBuilder().setRemainingNanos(0).build()),
                "deadline");
        refused(
                () -> VersionedReadMapping.fromProto(good.toBuilder()
                        .setParameters(ByteString.copyFrom(new byte[Limits.PARAMETER_BYTES_MAX + 1]))
                        .build()),
                "parameters");
        refused(
                () -> VersionedReadMapping.fromProto(good.toBuilder()
                        .addTargets(DataProto.VersionedTarget.newBuilder().setActor(-1))
                        .build()),
                "actor");
    }

    @Test
    void boundsLogsThatAreTold() {
        refused(() -> told(log(Limits.TOLD_DECISIONS_MAX + 1, 1)), "257 decisions");
        refused(() -> told(log(3, Limits.TOLD_ENTRIES_MAX / 3 + 1)), "513 updates");
        assertThat(told(log(Limits.TOLD_DECISIONS_MAX, 2)).decisions()).hasSize(Limits.TOLD_DECISIONS_MAX);
        List<Integer> many = Collections.nCopies(Limits.TIME_ACTORS_PER_TABLE_MAX + 1, 1);
        RegistryProto.TableLog none = RegistryProto.TableLog.getDefaultInstance();
        refused(
                () -> told(none.toBuilder()
                        .setInFlight(RegistryProto.VersionInFlight.newBuilder()
                                .setDriver("s")
                                .addAllParticipants(many))
                        .build()),
                "participants");
        refused(
                () -> told(none.toBuilder()
                        .addDecisions(RegistryProto.VersionDecision.newBuilder().addAllUnacked(many))
                        .build()),
                "unacked");
        ByteString endless = ByteString.copyFrom(new byte[] {1, 0, 0});
        refused(() -> told(none.toBuilder().setSettled(endless).build()), "settled");
    }

    private static RegistryProto.TableLog log(int decisions, int updates) {
        List<TransactionLogState.Decision> all = new ArrayList<>();
        for (int i = 1; i <= decisions; i++) {
            TransactionLogState.Batch batch =
                    new TransactionLogState.Batch(new RequestId(1, 2, i), "0".repeat(Sha256.HEX_CHARS));
            all.add(new TransactionLogState.Decision(
                    i, true, Collections.nCopies(updates, batch), List.of(), "", List.of()));
        }
        return TransactionLogMapping.toProto(new TransactionLogState(9, decisions, decisions + 1, null, all, 0, 0));
    }

    private static TransactionLogState told(RegistryProto.TableLog log) {
        PeerProto.Tell tell = PeerProto.Tell.newBuilder()
                .setTable("t")
                .setTold(PeerProto.ToldLog.newBuilder().setLog(log).setNodeVersion(1))
                .build();
        return AtomicMapping.fromProto(tell).transactionLog().log();
    }

    @Test
    void aPartIsOfOneVersion() {
        DataProto.ReadPart part = DataProto.ReadPart.newBuilder()
                .addActors(1)
                .addActors(2)
                .addVersions(7)
                .addVersions(8)
                .build();
        refused(
                () -> VersionedReadMapping.replyFromProto(
                        DataProto.ReadReply.newBuilder().addParts(part).build()),
                "2 versions");
    }

    @Test
    void boundsCuts() {
        DataProto.CutCall two = ConsistentSnapshotMapping.toProto("c", List.of(new TableName("a"), new TableName("b")));
        assertThat(ConsistentSnapshotMapping.fromProto(two)).hasSize(2);
        refused(
                () -> ConsistentSnapshotMapping.fromProto(
                        two.toBuilder().addTables("a").build()),
                "each once");
        refused(() -> ConsistentSnapshotMapping.fromProto(DataProto.CutCall.getDefaultInstance()), "one or more");
        DataProto.CutCall.Builder many = DataProto.CutCall.newBuilder();
        for (int i = 0; i <= Limits.CUT_TABLES_MAX; i++) {
            many.addTables("t" + i);
        }
        refused(() -> ConsistentSnapshotMapping.fromProto(many.build()), "tables");
    }

    private static void refused(DataProto.ReadRequest request, String field) {
        refused(() -> ReadMapping.fromProto(request), field);
    }

    private static void refused(ThrowingCallable call, String field) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(field);
    }

    private interface Attempt {
        Object run() throws InvalidProtocolBufferException;
    }

    /** Returns 1 if protobuf could parse the message, whatever the mapping's result was. */
    private static int refusedOrFine(Attempt attempt) {
        try {
            attempt.run();
            return 1;
        } catch (InvalidProtocolBufferException e) {
            assertThat(e).isNotNull();
            return 0;
        } catch (UniserveException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            return 1;
        }
    }

    private static byte[] damage(SplittableRandom random, byte[] bytes) {
        byte[] damaged = bytes.clone();
        int hits = random.nextInt(1, 4);
        for (int i = 0; i < hits && damaged.length > 0; i++) {
            int at = random.nextInt(damaged.length);
            damaged[at] = (byte) (damaged[at] ^ 1 << random.nextInt(8));
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(damaged, random.nextInt(damaged.length + 1)) : damaged;
    }
}
