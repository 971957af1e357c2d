package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import io.uniserve.protocol.message.TrashCall;

/** Mapping of requests about the trash of servers and their replies. */
public final class TrashMapping {
    private TrashMapping() {}

    public static PeerProto.TrashCall toProto(TrashCall call) {
        return PeerProto.TrashCall.newBuilder()
                .setActionValue(ProtoChecks.number(call.action()))
                .setEntry(call.entry())
                .build();
    }

    public static TrashCall fromProto(PeerProto.TrashCall proto) {
        return new TrashCall(
                ProtoChecks.constant("action", TrashCall.Action.values(), proto.getActionValue()),
                ProtoChecks.identifier("entry", proto.getEntry()));
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
                .setReason(ProtoChecks.clip(entry.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .build();
    }

    public static TrashReport fromProto(PeerProto.Trash proto) {
        return new TrashReport(
                ProtoChecks.list("entries", proto.getEntriesList(), Limits.TRASH_ENTRIES_TOLD_MAX, TrashMapping::entry),
                ProtoChecks.list(
                        "held", proto.getHeldList(), Limits.REPLICAS_PER_SERVER_MAX, IdentityMapping::fromProto),
                ProtoChecks.notNegative("bytes_max", proto.getBytesMax()));
    }

    private static TrashEntry entry(PeerProto.TrashEntry proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new TrashEntry(
                ProtoChecks.identifier("id", proto.getId()),
                ProtoChecks.identifier("table", proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                ProtoChecks.notNegative("last_index", proto.getLastIndex()),
                ProtoChecks.notNegative("bytes", proto.getBytes()),
                ProtoChecks.notNegative("trashed_ms", proto.getTrashedMs()),
                ProtoChecks.notNegative("kept_until_ms", proto.getKeptUntilMs()),
                ProtoChecks.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
