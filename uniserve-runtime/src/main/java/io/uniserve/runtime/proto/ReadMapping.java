package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.Optional;

/** Mapping of reads and their replies. */
public final class ReadMapping {
    private ReadMapping() {}

    /** Encodes a request; parameters are shared, not copied. */
    public static DataProto.ReadRequest toProto(ReadRequest request) {
        DataProto.ReadRequest.Builder proto = DataProto.ReadRequest.newBuilder()
                .setTable(request.table().value())
                .setTableId(request.tableId())
                .setOperator(request.operator())
                .setParameters(BytesMapping.toProto(request.parameters()))
                .setQueryHigh(request.queryHigh())
                .setQueryLow(request.queryLow())
                .setAttempt(request.attempt())
                .setRemainingNanos(request.remainingNanos())
                .setModeValue(ProtoValidator.number(request.mode()));
        request.targets().forEach(target -> proto.addTargets(toProto(target)));
        proto.addAllTogether(request.queriedActors());
        request.session().ifPresent(hold -> proto.setHold(toProto(hold)));
        for (ReadRequest.ColocatedTargets beside : request.colocated()) {
            DataProto.BesideTable.Builder one = DataProto.BesideTable.newBuilder()
                    .setTable(beside.table().value())
                    .setTableId(beside.tableId());
            beside.targets().forEach(target -> one.addTargets(toProto(target)));
            proto.addBeside(one);
        }
        return proto.build();
    }

    private static DataProto.ReadTarget toProto(ReadRequest.Target target) {
        return DataProto.ReadTarget.newBuilder()
                .setActor(target.actor())
                .setEpoch(target.epoch())
                .setFloorIndex(target.floorIndex())
                .setVersion(target.version())
                .build();
    }

    /** Decodes a request. Fails with INVALID_ARGUMENT if it is malformed. */
    public static ReadRequest fromProto(DataProto.ReadRequest proto) {
        return new ReadRequest(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.list(
                        "targets", proto.getTargetsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ReadMapping::fromProto),
                ProtoValidator.identifier("operator", proto.getOperator()),
                BytesMapping.fromProto("parameters", proto.getParameters(), Limits.PARAMETER_BYTES_MAX),
                proto.getQueryHigh(),
                proto.getQueryLow(),
                proto.getAttempt(),
                ProtoValidator.remaining(proto.getRemainingNanos()),
                ProtoValidator.constant("mode", ReadMode.values(), proto.getModeValue()),
                ProtoValidator.list(
                        "together", proto.getTogetherList(), Limits.SHARD_SET_ACTORS_MAX, ProtoValidator::actor),
                proto.hasHold() ? Optional.of(fromProto(proto.getHold())) : Optional.empty(),
                ProtoValidator.list("beside", proto.getBesideList(), Limits.BESIDE_TABLES_MAX, ReadMapping::fromProto));
    }

    private static ReadRequest.ColocatedTargets fromProto(DataProto.BesideTable proto) {
        return new ReadRequest.ColocatedTargets(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.list(
                        "targets", proto.getTargetsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ReadMapping::fromProto));
    }

    public static DataProto.Hold toProto(ReadRequest.SessionHold hold) {
        return DataProto.Hold.newBuilder()
                .setHigh(hold.high())
                .setLow(hold.low())
                .setNanos(hold.remainingNanos())
                .setPresent(hold.currentOnly())
                .build();
    }

    public static ReadRequest.SessionHold fromProto(DataProto.Hold proto) {
        return new ReadRequest.SessionHold(
                proto.getHigh(), proto.getLow(), ProtoValidator.remaining(proto.getNanos()), proto.getPresent());
    }

    private static ReadRequest.Target fromProto(DataProto.ReadTarget proto) {
        return new ReadRequest.Target(
                ProtoValidator.actor(proto.getActor()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("floor_index", proto.getFloorIndex()),
                proto.getVersion());
    }

    /** Encodes a reply; values are shared, not copied. */
    public static DataProto.ReadReply toProto(ReadReply reply) {
        DataProto.ReadReply.Builder proto =
                DataProto.ReadReply.newBuilder().setCostNanos(reply.costNanos()).setGeneration(reply.generation());
        for (ReadReply.Part part : reply.parts()) {
            DataProto.ReadPart.Builder one =
                    DataProto.ReadPart.newBuilder().setValue(BytesMapping.toProto(part.value()));
            part.actors().forEach(one::addActors);
            part.versions().forEach(one::addVersions);
            proto.addParts(one);
        }
        reply.failures().forEach(failure -> proto.addFailures(FailureMapping.toProto(failure)));
        return proto.build();
    }

    /** Decodes a reply. Fails with INVALID_ARGUMENT if it is malformed. */
    public static ReadReply fromProto(DataProto.ReadReply proto) {
        return new ReadReply(
                ProtoValidator.list(
                        "parts", proto.getPartsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ReadMapping::fromProto),
                FailureMapping.fromProto(proto.getFailuresList()),
                proto.getCostNanos(),
                ProtoValidator.notNegative("generation", proto.getGeneration()));
    }

    private static ReadReply.Part fromProto(DataProto.ReadPart proto) {
        return new ReadReply.Part(
                ProtoValidator.list(
                        "actors", proto.getActorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ProtoValidator::actor),
                BytesMapping.fromProto("value", proto.getValue(), Limits.RESULT_BYTES_PER_REPLY_MAX),
                ProtoValidator.list(
                        "versions", proto.getVersionsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, version -> version));
    }
}
