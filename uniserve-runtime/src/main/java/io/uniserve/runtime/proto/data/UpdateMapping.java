package io.uniserve.runtime.proto.data;

import io.uniserve.codec.Sha256;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.FailureMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.ModelProto;
import io.uniserve.runtime.proto.ProtoValidator;

/** Mapping of updates and their replies. */
public final class UpdateMapping {
    private UpdateMapping() {}

    /** Encodes a request; rows are shared, not copied. */
    public static DataProto.UpdateRequest toProto(UpdateRequest request) {
        DataProto.UpdateRequest.Builder proto = DataProto.UpdateRequest.newBuilder()
                .setTable(request.table().value())
                .setTableId(request.tableId())
                .setRequest(IdentityMapping.toProto(request.request()))
                .setLowWater(request.lowWater())
                .setAttempt(request.attempt())
                .setLevelValue(ProtoValidator.number(request.level()))
                .setFunction(request.function())
                .setRemainingNanos(request.remainingNanos())
                .setStages(request.stageOnly());
        for (UpdateRequest.ActorRows rows : request.actors()) {
            DataProto.ActorRows.Builder actor = DataProto.ActorRows.newBuilder()
                    .setActor(rows.actor())
                    .setEpoch(rows.epoch())
                    .setRows(BytesMapping.toProto(rows.rows()));
            StagedRowsRef staged = rows.staged();
            proto.addActors(staged == null ? actor : actor.setStaged(toProto(staged)));
        }
        return proto.build();
    }

    /** Decodes a request. Fails with INVALID_ARGUMENT if it is malformed. */
    public static UpdateRequest fromProto(DataProto.UpdateRequest proto) {
        ProtoValidator.present("request", proto.hasRequest());
        return new UpdateRequest(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                IdentityMapping.fromProto(proto.getRequest()),
                ProtoValidator.notNegative("low_water", proto.getLowWater()),
                proto.getAttempt(),
                ProtoValidator.constant("level", AckLevel.values(), proto.getLevelValue()),
                ProtoValidator.identifier("function", proto.getFunction()),
                ProtoValidator.list(
                        "actors", proto.getActorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, UpdateMapping::fromProto),
                ProtoValidator.remaining(proto.getRemainingNanos()),
                proto.getStages());
    }

    public static ModelProto.StagedRows toProto(StagedRowsRef staged) {
        return ModelProto.StagedRows.newBuilder()
                .setBytes(staged.bytes())
                .setSha256(staged.sha256())
                .build();
    }

    public static StagedRowsRef fromProto(ModelProto.StagedRows proto) {
        if (proto.getBytes() < 1 || proto.getBytes() > Limits.BATCH_BYTES_MAX) {
            throw ProtoValidator.malformed(
                    "staged.bytes is " + proto.getBytes() + ": use 1 to " + Limits.BATCH_BYTES_MAX);
        }
        String sha256 = proto.getSha256();
        if (sha256.length() != Sha256.HEX_CHARS || !sha256.chars().allMatch(UpdateMapping::isHex)) {
            throw ProtoValidator.malformed(
                    "staged.sha256 is not " + Sha256.HEX_CHARS + " hexadecimal digits in lower case");
        }
        return new StagedRowsRef(proto.getBytes(), sha256);
    }

    private static boolean isHex(int digit) {
        return digit >= '0' && digit <= '9' || digit >= 'a' && digit <= 'f';
    }

    private static UpdateRequest.ActorRows fromProto(DataProto.ActorRows proto) {
        return new UpdateRequest.ActorRows(
                ProtoValidator.actor(proto.getActor()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                BytesMapping.fromProto("rows", proto.getRows(), Limits.BATCH_BYTES_MAX),
                proto.hasStaged() ? fromProto(proto.getStaged()) : null);
    }

    /** Encodes a reply. */
    public static DataProto.UpdateReply toProto(UpdateReply reply) {
        DataProto.UpdateReply.Builder proto = DataProto.UpdateReply.newBuilder();
        for (UpdateReply.ActorAck ack : reply.acks()) {
            proto.addAcks(DataProto.ActorAck.newBuilder()
                    .setActor(ack.actor())
                    .setEpoch(ack.epoch())
                    .setIndex(ack.index())
                    .setDuplicate(ack.duplicate()));
        }
        reply.failures().forEach(failure -> proto.addFailures(FailureMapping.toProto(failure)));
        reply.staged()
                .forEach(staged -> proto.addStaged(DataProto.ActorStaged.newBuilder()
                        .setActor(staged.actor())
                        .setRows(toProto(staged.rows()))));
        return proto.build();
    }

    /** Decodes a reply. Fails with INVALID_ARGUMENT if it is malformed. */
    public static UpdateReply fromProto(DataProto.UpdateReply proto) {
        return new UpdateReply(
                ProtoValidator.list(
                        "acks", proto.getAcksList(), Limits.TIME_ACTORS_PER_TABLE_MAX, UpdateMapping::fromProto),
                FailureMapping.fromProto(proto.getFailuresList()),
                ProtoValidator.list(
                        "staged", proto.getStagedList(), Limits.TIME_ACTORS_PER_TABLE_MAX, UpdateMapping::fromProto));
    }

    private static UpdateReply.ActorStaged fromProto(DataProto.ActorStaged proto) {
        ProtoValidator.present("staged.rows", proto.hasRows());
        return new UpdateReply.ActorStaged(ProtoValidator.actor(proto.getActor()), fromProto(proto.getRows()));
    }

    private static UpdateReply.ActorAck fromProto(DataProto.ActorAck proto) {
        return new UpdateReply.ActorAck(
                ProtoValidator.actor(proto.getActor()), proto.getEpoch(), proto.getIndex(), proto.getDuplicate());
    }
}
