package io.uniserve.runtime.proto.peer;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.protocol.message.BatchRows;
import io.uniserve.protocol.message.PeerReply.Vote;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.IsCommitInvisible;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.PeerRequest.PublishTransactionLog;
import io.uniserve.protocol.message.TransactionLogSnapshot;
import io.uniserve.protocol.message.VersionParticipants;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.DecisionHistoryCodec;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;
import io.uniserve.runtime.proto.RegistryProto;
import io.uniserve.runtime.proto.TransactionLogMapping;
import io.uniserve.runtime.proto.data.UpdateMapping;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Mapping of the messages of atomic updates. */
public final class AtomicMapping {
    private static final Vote.Kind[] KINDS = Vote.Kind.values();

    private AtomicMapping() {}

    static PeerProto.Prepare toProto(Prepare prepare) {
        PeerProto.Prepare.Builder proto = PeerProto.Prepare.newBuilder()
                .setTable(prepare.table().value())
                .setKey(IdentityMapping.toProto(prepare.key()))
                .setEpoch(prepare.epoch())
                .setVersion(prepare.version())
                .setPrevious(prepare.previous())
                .setParticipants(prepare.participants().count());
        prepare.participants()
                .chunks()
                .ifPresent(chunks -> proto.addAllActors(chunks.actors())
                        .setChunkVersions(BytesMapping.toProto(chunks.earlier().encode())));
        prepare.transactionLog().ifPresent(told -> proto.setTold(toProto(told)));
        prepare.batches().forEach(batch -> proto.addBatches(toProto(batch)));
        return proto.build();
    }

    private static PeerProto.BatchRows.Builder toProto(BatchRows batch) {
        PeerProto.BatchRows.Builder proto = PeerProto.BatchRows.newBuilder()
                .setRequest(IdentityMapping.toProto(batch.request()))
                .setFunction(batch.function())
                .setRows(BytesMapping.toProto(batch.rows()));
        StagedRowsRef staged = batch.staged();
        return staged == null ? proto : proto.setStaged(UpdateMapping.toProto(staged));
    }

    static Prepare fromProto(PeerProto.Prepare proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new Prepare(
                IdentityMapping.table(proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("version", proto.getVersion()),
                ProtoValidator.notNegative("previous", proto.getPrevious()),
                participants(proto),
                ProtoValidator.list(
                        "batches",
                        proto.getBatchesList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        AtomicMapping::fromProto),
                proto.hasTold() ? Optional.of(fromProto(proto.getTold())) : Optional.empty());
    }

    /** Every version has participants, so those of a TIME table are recognized by their numbers. */
    private static VersionParticipants participants(PeerProto.Prepare proto) {
        if (proto.getActorsCount() == 0) {
            return VersionParticipants.counted(proto.getParticipants());
        }
        try {
            return new VersionParticipants(
                    proto.getParticipants(),
                    Optional.of(new VersionParticipants.Chunks(
                            ProtoValidator.list(
                                    "actors",
                                    proto.getActorsList(),
                                    Limits.TIME_ACTORS_PER_TABLE_MAX,
                                    ProtoValidator::actor),
                            TransactionLogMapping.chunkVersions(proto.getChunkVersions()))));
        } catch (UniserveException e) {
            throw ProtoValidator.malformed(e.reason());
        }
    }

    private static PeerProto.ToldLog toProto(TransactionLogSnapshot told) {
        return PeerProto.ToldLog.newBuilder()
                .setLog(TransactionLogMapping.toProto(told.log()))
                .setNodeVersion(told.nodeVersion())
                .build();
    }

    private static TransactionLogSnapshot fromProto(PeerProto.ToldLog proto) {
        ProtoValidator.present("log", proto.hasLog());
        RegistryProto.TableLog log = proto.getLog();
        checkCount("updates", DecisionHistoryCodec.count(log.getSettled()), Limits.TOLD_ENTRIES_MAX);
        checkCount("decisions", log.getDecisionsCount(), Limits.TOLD_DECISIONS_MAX);
        TransactionLogState told = TransactionLogMapping.fromProto(log);
        checkCount("decisions", told.decisions().size(), Limits.TOLD_DECISIONS_MAX);
        return new TransactionLogSnapshot(
                told, (int) ProtoValidator.notNegative("node_version", proto.getNodeVersion()));
    }

    private static void checkCount(String what, int count, int max) {
        if (count > max) {
            throw ProtoValidator.malformed("the published log has " + count + " " + what + ", at most " + max);
        }
    }

    static PeerProto.Tell toProto(PublishTransactionLog tell) {
        return PeerProto.Tell.newBuilder()
                .setTable(tell.table().value())
                .setTold(toProto(tell.transactionLog()))
                .build();
    }

    public static PublishTransactionLog fromProto(PeerProto.Tell proto) {
        ProtoValidator.present("told", proto.hasTold());
        return new PublishTransactionLog(IdentityMapping.table(proto.getTable()), fromProto(proto.getTold()));
    }

    private static BatchRows fromProto(PeerProto.BatchRows proto) {
        ProtoValidator.present("request", proto.hasRequest());
        return new BatchRows(
                IdentityMapping.fromProto(proto.getRequest()),
                ProtoValidator.text("function", proto.getFunction(), Limits.IDENTIFIER_CHARS_MAX),
                BytesMapping.fromProto("rows", proto.getRows(), Limits.BATCH_BYTES_MAX),
                proto.hasStaged() ? UpdateMapping.fromProto(proto.getStaged()) : null);
    }

    static PeerProto.Decide toProto(Decide decide) {
        PeerProto.Decide.Builder proto = PeerProto.Decide.newBuilder()
                .setTable(decide.table().value())
                .setKey(IdentityMapping.toProto(decide.key()))
                .setVersion(decide.version())
                .setCommit(decide.commit());
        decide.transactionLog().ifPresent(told -> proto.setTold(toProto(told)));
        return proto.build();
    }

    static Decide fromProto(PeerProto.Decide proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new Decide(
                IdentityMapping.table(proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("version", proto.getVersion()),
                proto.getCommit(),
                proto.hasTold() ? Optional.of(fromProto(proto.getTold())) : Optional.empty());
    }

    static PeerProto.Undisclosed toProto(IsCommitInvisible asked) {
        return PeerProto.Undisclosed.newBuilder()
                .setTable(asked.table().value())
                .setTableId(asked.tableId())
                .setVersion(asked.version())
                .build();
    }

    static IsCommitInvisible fromProto(PeerProto.Undisclosed proto) {
        return new IsCommitInvisible(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.notNegative("version", proto.getVersion()));
    }

    static PeerProto.Vote toProto(Vote vote) {
        PeerProto.Vote.Builder proto = PeerProto.Vote.newBuilder()
                .setKindValue(ProtoValidator.number(vote.kind()))
                .setEpoch(vote.epoch())
                .setReason(ProtoValidator.clip(vote.reason(), Limits.MESSAGE_TEXT_CHARS_MAX));
        RequestId refused = vote.rejectedRequest();
        if (refused != null) {
            proto.setRefused(IdentityMapping.toProto(refused));
        }
        ErrorCode code = vote.code();
        return proto.setCode(code == null ? 0 : code.number()).build();
    }

    static Vote fromProto(PeerProto.Vote proto) {
        @Nullable RequestId refused = proto.hasRefused() ? IdentityMapping.fromProto(proto.getRefused()) : null;
        return new Vote(
                ProtoValidator.constant("kind", KINDS, proto.getKindValue()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                refused,
                ProtoValidator.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX),
                proto.getCode() == 0 ? null : ErrorCode.ofNumber(proto.getCode()));
    }
}
