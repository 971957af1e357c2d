package io.uniserve.runtime.proto;

import io.uniserve.codec.Sha256;
import io.uniserve.limit.Limits;
import io.uniserve.model.AckLevel;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.Piece;

/** Updates and their replies. */
public final class UpdateMapping {
    private UpdateMapping() {}

    /** The request as a message; rows are shared, not copied. */
    public static DataProto.UpdateRequest toProto(UpdateRequest request) {
        DataProto.UpdateRequest.Builder proto = DataProto.UpdateRequest.newBuilder()
                .setTable(request.table().value())
                .setTableId(request.tableId())
                .setRequest(IdentityMapping.toProto(request.request()))
                .setLowWater(request.lowWater())
                .setAttempt(request.attempt())
                .setLevelValue(Wire.number(request.level()))
                .setFunction(request.function())
                .setRemainingNanos(request.remainingNanos());
        if (!request.piece().whole()) {
            proto.setPiece(DataProto.UpdatePiece.newBuilder()
                    .setNumber(request.piece().number())
                    .setCount(request.piece().count())
                    .setSha256(request.piece().sha256()));
        }
        for (UpdateRequest.ActorRows rows : request.actors()) {
            proto.addActors(DataProto.ActorRows.newBuilder()
                    .setActor(rows.actor())
                    .setEpoch(rows.epoch())
                    .setRows(BytesMapping.toProto(rows.rows())));
        }
        return proto.build();
    }

    /** The message's request; INVALID_ARGUMENT where it is malformed. */
    public static UpdateRequest fromProto(DataProto.UpdateRequest proto) {
        Wire.present("request", proto.hasRequest());
        return new UpdateRequest(
                IdentityMapping.table(proto.getTable()),
                Wire.notNegative("table_id", proto.getTableId()),
                IdentityMapping.fromProto(proto.getRequest()),
                Wire.notNegative("low_water", proto.getLowWater()),
                proto.getAttempt(),
                Wire.constant("level", AckLevel.values(), proto.getLevelValue()),
                Wire.identifier("function", proto.getFunction()),
                Wire.list("actors", proto.getActorsList(), Limits.ACTORS_PER_TABLE_MAX, UpdateMapping::fromProto),
                Wire.remaining(proto.getRemainingNanos()),
                proto.hasPiece() ? fromProto(proto.getPiece()) : Piece.WHOLE);
    }

    private static Piece fromProto(DataProto.UpdatePiece proto) {
        if (proto.getCount() < 2
                || proto.getCount() > Limits.ACTORS_PER_TABLE_MAX
                || proto.getNumber() < 0
                || proto.getNumber() >= proto.getCount()) {
            throw Wire.malformed("piece " + proto.getNumber() + " of " + proto.getCount()
                    + ": use 0 to count - 1, of 2 to " + Limits.ACTORS_PER_TABLE_MAX);
        }
        return new Piece(
                proto.getNumber(), proto.getCount(), Wire.text("piece.sha256", proto.getSha256(), Sha256.HEX_CHARS));
    }

    private static UpdateRequest.ActorRows fromProto(DataProto.ActorRows proto) {
        return new UpdateRequest.ActorRows(
                Wire.actor(proto.getActor()),
                Wire.notNegative("epoch", proto.getEpoch()),
                BytesMapping.fromProto("rows", proto.getRows(), Limits.BATCH_BYTES_MAX));
    }

    /** The reply as a message. */
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
        return proto.build();
    }

    /** The message's reply; INVALID_ARGUMENT where it is malformed. */
    public static UpdateReply fromProto(DataProto.UpdateReply proto) {
        return new UpdateReply(
                Wire.list("acks", proto.getAcksList(), Limits.ACTORS_PER_TABLE_MAX, UpdateMapping::fromProto),
                FailureMapping.fromProto(proto.getFailuresList()));
    }

    private static UpdateReply.ActorAck fromProto(DataProto.ActorAck proto) {
        return new UpdateReply.ActorAck(
                Wire.actor(proto.getActor()), proto.getEpoch(), proto.getIndex(), proto.getDuplicate());
    }
}
