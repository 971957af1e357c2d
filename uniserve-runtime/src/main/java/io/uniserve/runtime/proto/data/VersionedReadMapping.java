package io.uniserve.runtime.proto.data;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.FailureMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.ProtoValidator;
import java.util.List;

/** Mapping of reads of one version. Their replies have the message type of other reads. */
public final class VersionedReadMapping {
    private VersionedReadMapping() {}

    /** Encodes a request; parameters are shared, not copied. */
    public static DataProto.VersionedRead toProto(VersionedRead request) {
        DataProto.VersionedRead.Builder proto = DataProto.VersionedRead.newBuilder()
                .setTable(request.table().value())
                .setTableId(request.tableId())
                .setOperator(request.operator())
                .setParameters(BytesMapping.toProto(request.parameters()))
                .setAt(request.version())
                .setStrict(request.strict())
                .setMerged(request.acceptsMerged())
                .setDefers(request.acceptsOpenVersions())
                .setRemainingNanos(request.remainingNanos());
        for (VersionedRead.Target target : request.targets()) {
            proto.addTargets(DataProto.VersionedTarget.newBuilder()
                    .setActor(target.actor())
                    .setEpoch(target.epoch()));
        }
        return proto.build();
    }

    /** Decodes a request. Fails with INVALID_ARGUMENT if it is malformed. */
    public static VersionedRead fromProto(DataProto.VersionedRead proto) {
        return new VersionedRead(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.list(
                        "targets",
                        proto.getTargetsList(),
                        Limits.TIME_ACTORS_PER_TABLE_MAX,
                        target -> new VersionedRead.Target(
                                ProtoValidator.actor(target.getActor()),
                                ProtoValidator.notNegative("epoch", target.getEpoch()))),
                ProtoValidator.identifier("operator", proto.getOperator()),
                BytesMapping.fromProto("parameters", proto.getParameters(), Limits.PARAMETER_BYTES_MAX),
                ProtoValidator.notNegative("at", proto.getAt()),
                proto.getMerged(),
                proto.getDefers(),
                proto.getStrict(),
                ProtoValidator.remaining(proto.getRemainingNanos()));
    }

    /** Encodes a reply; values are shared, not copied. */
    public static DataProto.ReadReply replyToProto(VersionedRead.Reply reply) {
        DataProto.ReadReply.Builder proto = DataProto.ReadReply.newBuilder();
        for (VersionedRead.Part part : reply.parts()) {
            proto.addParts(DataProto.ReadPart.newBuilder()
                    .addAllActors(part.actors())
                    .addVersions(part.completeVersion())
                    .setValue(BytesMapping.toProto(part.value())));
        }
        reply.failures().forEach(failure -> proto.addFailures(FailureMapping.toProto(failure)));
        proto.addAllOpen(reply.openVersions())
                .addAllDenied(reply.invisibleVersions())
                .setGeneration(reply.generation());
        return proto.build();
    }

    /** Decodes a reply. Fails with INVALID_ARGUMENT if it is malformed. */
    public static VersionedRead.Reply replyFromProto(DataProto.ReadReply proto) {
        return new VersionedRead.Reply(
                ProtoValidator.list(
                        "parts", proto.getPartsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, VersionedReadMapping::part),
                FailureMapping.fromProto(proto.getFailuresList()),
                versions("open", proto.getOpenList()),
                versions("denied", proto.getDeniedList()),
                ProtoValidator.notNegative("generation", proto.getGeneration()));
    }

    private static List<Long> versions(String field, List<Long> versions) {
        return ProtoValidator.list(
                field,
                versions,
                VersionedRead.Reply.IN_DOUBT_MAX,
                version -> ProtoValidator.notNegative(field, version));
    }

    private static VersionedRead.Part part(DataProto.ReadPart proto) {
        if (proto.getVersionsCount() != 1) {
            throw ProtoValidator.malformed("a part has " + proto.getVersionsCount() + " versions, use exactly 1");
        }
        return new VersionedRead.Part(
                ProtoValidator.list(
                        "actors", proto.getActorsList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ProtoValidator::actor),
                ProtoValidator.notNegative("version", proto.getVersions(0)),
                BytesMapping.fromProto("value", proto.getValue(), Limits.RESULT_BYTES_PER_REPLY_MAX));
    }
}
