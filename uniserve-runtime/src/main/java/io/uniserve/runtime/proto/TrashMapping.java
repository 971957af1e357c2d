package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.TrashEntry;
import io.uniserve.model.TrashReport;
import io.uniserve.protocol.message.TrashCall;

/** Requests to servers' trash and their replies. */
final class TrashMapping {
    private TrashMapping() {}

    static PeerProto.TrashCall toProto(TrashCall call) {
        return PeerProto.TrashCall.newBuilder()
                .setActionValue(Wire.number(call.action()))
                .setEntry(call.entry())
                .build();
    }

    static TrashCall fromProto(PeerProto.TrashCall proto) {
        return new TrashCall(
                Wire.constant("action", TrashCall.Action.values(), proto.getActionValue()),
                Wire.identifier("entry", proto.getEntry()));
    }

    static PeerProto.Trash toProto(TrashReport report) {
        PeerProto.Trash.Builder message = PeerProto.Trash.newBuilder().setBytesMax(report.bytesMax());
        report.entries().forEach(entry -> message.addEntries(toProto(entry)));
        report.held().forEach(key -> message.addHeld(IdentityMapping.toProto(key)));
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
                .setReason(Wire.clip(entry.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .build();
    }

    static TrashReport fromProto(PeerProto.Trash proto) {
        return new TrashReport(
                Wire.list("entries", proto.getEntriesList(), Limits.TRASH_ENTRIES_TOLD_MAX, TrashMapping::entry),
                Wire.list("held", proto.getHeldList(), Limits.REPLICAS_PER_SERVER_MAX, IdentityMapping::fromProto),
                Wire.notNegative("bytes_max", proto.getBytesMax()));
    }

    private static TrashEntry entry(PeerProto.TrashEntry proto) {
        Wire.present("key", proto.hasKey());
        return new TrashEntry(
                Wire.identifier("id", proto.getId()),
                Wire.identifier("table", proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                Wire.notNegative("epoch", proto.getEpoch()),
                Wire.notNegative("last_index", proto.getLastIndex()),
                Wire.notNegative("bytes", proto.getBytes()),
                Wire.notNegative("trashed_ms", proto.getTrashedMs()),
                Wire.notNegative("kept_until_ms", proto.getKeptUntilMs()),
                Wire.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
