package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.TrashCall;

/** Mapping of requests about the trash of servers and their replies. */
public final class TrashMapping {
    private TrashMapping() {}

    public static PeerProto.TrashCall toProto(TrashCall call) {
        return PeerProto.TrashCall.newBuilder()
                .setActionValue(ProtoValidator.number(call.action()))
                .setEntry(call.entry())
                .build();
    }

    public static TrashCall fromProto(PeerProto.TrashCall proto) {
        return new TrashCall(
                ProtoValidator.constant("action", TrashCall.Action.values(), proto.getActionValue()),
                ProtoValidator.identifier("entry", proto.getEntry()));
    }

    static AdminRequest.ServerTrash fromProto(AdminProto.ServerTrash proto) {
        return new AdminRequest.ServerTrash(IdentityMapping.server(proto.getServer()), fromProto(proto.getCall()));
    }

    public static PeerProto.Trash toProto(TrashReport report) {
        PeerProto.Trash.Builder message = PeerProto.Trash.newBuilder().setBytesMax(report.bytesMax());
        report.entries().forEach(entry -> message.addEntries(toProto(entry)));
        report.heldReplicas().forEach(key -> message.addHeld(IdentityMapping.toProto(key)));
        return message.build();
    }

    private static PeerProto.TrashEntry toProto(TrashEntry entry) {
        return PeerProto.TrashEntry.newBuilder()
                .setId(entry.id())
                .setTable(entry.table())
                .setKey(IdentityMapping.toProto(entry.key()))
                .setEpoch(entry.epoch())
                .setLastIndex(entry.lastIndex())
                .setBytes(entry.bytes())
                .setTrashedMs(entry.trashedMs())
                .setKeptUntilMs(entry.keptUntilMs())
                .setReason(ProtoValidator.clip(entry.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .build();
    }

    public static TrashReport fromProto(PeerProto.Trash proto) {
        return new TrashReport(
                ProtoValidator.list(
                        "entries", proto.getEntriesList(), Limits.TRASH_ENTRIES_TOLD_MAX, TrashMapping::entry),
                ProtoValidator.list(
                        "held", proto.getHeldList(), Limits.REPLICAS_PER_SERVER_MAX, IdentityMapping::fromProto),
                ProtoValidator.notNegative("bytes_max", proto.getBytesMax()));
    }

    private static TrashEntry entry(PeerProto.TrashEntry proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new TrashEntry(
                ProtoValidator.identifier("id", proto.getId()),
                ProtoValidator.identifier("table", proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("last_index", proto.getLastIndex()),
                ProtoValidator.notNegative("bytes", proto.getBytes()),
                ProtoValidator.notNegative("trashed_ms", proto.getTrashedMs()),
                ProtoValidator.notNegative("kept_until_ms", proto.getKeptUntilMs()),
                ProtoValidator.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
