package io.uniserve.runtime.proto.peer;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply.Replicated;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;

/** Mapping of log entries from a primary to its followers. */
final class ReplicateMapping {
    private ReplicateMapping() {}

    static PeerProto.Replicate toProto(Replicate request) {
        PeerProto.Replicate.Builder proto = PeerProto.Replicate.newBuilder()
                .setKey(IdentityMapping.toProto(request.key()))
                .setEpoch(request.epoch())
                .setPrimary(request.primary().value())
                .setPrevIndex(request.prevIndex())
                .setPrevEpoch(request.prevEpoch())
                .setStableIndex(request.highWatermark())
                .setBaseIndex(request.baseIndex())
                .setPrevHash(request.prevHash())
                .setLastHash(request.lastHash());
        request.entries().forEach(entry -> proto.addEntries(toProto(entry)));
        return proto.build();
    }

    static Replicate fromProto(PeerProto.Replicate proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new Replicate(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()),
                ProtoValidator.notNegative("prev_index", proto.getPrevIndex()),
                ProtoValidator.notNegative("prev_epoch", proto.getPrevEpoch()),
                ProtoValidator.list(
                        "entries", proto.getEntriesList(), Limits.REPLICATE_ENTRIES_MAX, ReplicateMapping::fromProto),
                ProtoValidator.notNegative("stable_index", proto.getStableIndex()),
                ProtoValidator.notNegative("base_index", proto.getBaseIndex()),
                proto.getPrevHash(),
                proto.getLastHash());
    }

    static PeerProto.LogEntry toProto(LogEntry entry) {
        PeerProto.LogEntry.Builder proto = PeerProto.LogEntry.newBuilder()
                .setTypeValue(ProtoValidator.number(entry.type()))
                .setEpoch(entry.epoch())
                .setIndex(entry.index())
                .setVersion(entry.version())
                .setLowWater(entry.lowWater())
                .setFunction(entry.function())
                .setRows(BytesMapping.toProto(entry.rows()));
        if (entry.request() != null) {
            proto.setRequest(IdentityMapping.toProto(entry.request()));
        }
        return proto.build();
    }

    static LogEntry fromProto(PeerProto.LogEntry proto) {
        return new LogEntry(
                ProtoValidator.constant("type", LogEntry.Type.values(), proto.getTypeValue()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("index", proto.getIndex()),
                ProtoValidator.notNegative("version", proto.getVersion()),
                proto.hasRequest() ? IdentityMapping.fromProto(proto.getRequest()) : null,
                ProtoValidator.notNegative("low_water", proto.getLowWater()),
                ProtoValidator.identifier("function", proto.getFunction()),
                BytesMapping.fromProto("rows", proto.getRows(), Limits.LOG_ENTRY_BYTES_MAX));
    }

    static PeerProto.Replicated toProto(Replicated reply) {
        return PeerProto.Replicated.newBuilder()
                .setStatusValue(ProtoValidator.number(reply.status()))
                .setEpoch(reply.epoch())
                .setLastIndex(reply.lastIndex())
                .setDurableIndex(reply.durableIndex())
                .setAppliedIndex(reply.appliedIndex())
                .setIncarnation(reply.incarnation())
                .setHash(reply.hash())
                .build();
    }

    static Replicated fromProto(PeerProto.Replicated proto) {
        return new Replicated(
                ProtoValidator.constant("status", Replicated.Status.values(), proto.getStatusValue()),
                proto.getEpoch(),
                proto.getLastIndex(),
                proto.getDurableIndex(),
                proto.getAppliedIndex(),
                proto.getIncarnation(),
                proto.getHash());
    }
}
