package io.uniserve.runtime.proto;

import com.google.protobuf.ByteString;
import io.uniserve.codec.Sha256;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableLog;
import io.uniserve.model.TableLog.Batch;
import io.uniserve.model.TableLog.Decision;
import io.uniserve.model.TableLog.InFlight;
import io.uniserve.model.TableOutcomes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** A table's versions in the registry. */
final class TableLogMapping {
    private TableLogMapping() {}

    static RegistryProto.TableLog toProto(TableLog log) {
        RegistryProto.TableLog.Builder proto = RegistryProto.TableLog.newBuilder()
                .setTableId(log.tableId())
                .setVersion(log.version())
                .setNext(log.next())
                .setForgotten(log.forgotten())
                .setOutcomes(log.outcomes());
        InFlight flight = log.inFlight();
        if (flight != null) {
            RegistryProto.VersionInFlight.Builder message = RegistryProto.VersionInFlight.newBuilder()
                    .setVersion(flight.version())
                    .setDriver(flight.driver().value())
                    .addAllParticipants(flight.participants())
                    .setBytes(flight.bytes());
            flight.batches().forEach(batch -> message.addBatches(toProto(batch)));
            proto.setInFlight(message);
        }
        return proto.setSettled(packed(log.decisions(), proto::addDecisions)).build();
    }

    static RegistryProto.TableOutcomes toProto(TableOutcomes outcomes) {
        RegistryProto.TableOutcomes.Builder proto = RegistryProto.TableOutcomes.newBuilder()
                .setTableId(outcomes.tableId())
                .setNumber(outcomes.number());
        return proto.setSettled(packed(outcomes.decisions(), proto::addDecisions))
                .build();
    }

    /** @param others takes what cannot be packed */
    private static ByteString packed(List<Decision> decisions, Consumer<RegistryProto.VersionDecision> others) {
        List<Decision> settled = new ArrayList<>();
        boolean ascending = ascending(decisions);
        for (Decision decision : decisions) {
            if (ascending && SettledDecisions.has(decision)) {
                settled.add(decision);
            } else {
                others.accept(toProto(decision));
            }
        }
        return SettledDecisions.pack(settled);
    }

    private static boolean ascending(List<Decision> decisions) {
        long last = 0;
        for (Decision decision : decisions) {
            if (decision.version() <= last) {
                return false;
            }
            last = decision.version();
        }
        return true;
    }

    private static RegistryProto.VersionBatch toProto(Batch batch) {
        RegistryProto.VersionBatch.Builder proto =
                RegistryProto.VersionBatch.newBuilder().setRequest(IdentityMapping.toProto(batch.request()));
        String sha256 = batch.sha256();
        return SettledDecisions.isHash(sha256)
                ? proto.setHash(ByteString.copyFrom(HexFormat.of().parseHex(sha256)))
                        .build()
                : proto.setSha256(sha256).build();
    }

    private static RegistryProto.VersionDecision toProto(Decision decision) {
        RegistryProto.VersionDecision.Builder proto = RegistryProto.VersionDecision.newBuilder()
                .setVersion(decision.version())
                .setCommitted(decision.committed())
                .setReason(Wire.clip(decision.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .addAllUnacked(decision.unacked());
        decision.batches().forEach(batch -> proto.addBatches(toProto(batch)));
        decision.refused().forEach(request -> proto.addRefused(IdentityMapping.toProto(request)));
        return proto.build();
    }

    static TableLog fromProto(RegistryProto.TableLog proto) {
        InFlight flight = proto.hasInFlight() ? fromProto(proto.getInFlight()) : null;
        return new TableLog(
                Wire.notNegative("table_id", proto.getTableId()),
                Wire.notNegative("version", proto.getVersion()),
                Wire.notNegative("next", proto.getNext()),
                flight,
                decisions(proto.getSettled(), proto.getDecisionsList()),
                Wire.notNegative("forgotten", proto.getForgotten()),
                Wire.notNegative("outcomes", proto.getOutcomes()));
    }

    static TableOutcomes fromProto(RegistryProto.TableOutcomes proto) {
        return new TableOutcomes(
                Wire.notNegative("table_id", proto.getTableId()),
                Wire.notNegative("number", proto.getNumber()),
                decisions(proto.getSettled(), proto.getDecisionsList()));
    }

    private static List<Decision> decisions(ByteString settled, List<RegistryProto.VersionDecision> others) {
        return merged(
                SettledDecisions.unpack(settled),
                Wire.list("decisions", others, Limits.TABLE_DECISIONS_MAX, TableLogMapping::fromProto));
    }

    /** Both in the order of their versions. */
    private static List<Decision> merged(List<Decision> settled, List<Decision> others) {
        if (settled.isEmpty()) {
            return others;
        }
        List<Decision> all = new ArrayList<>(settled.size() + others.size());
        int at = 0;
        for (Decision other : others) {
            while (at < settled.size() && settled.get(at).version() < other.version()) {
                all.add(settled.get(at++));
            }
            all.add(other);
        }
        all.addAll(settled.subList(at, settled.size()));
        return all;
    }

    private static InFlight fromProto(RegistryProto.VersionInFlight proto) {
        return new InFlight(
                Wire.notNegative("version", proto.getVersion()),
                IdentityMapping.server(proto.getDriver()),
                Wire.list("participants", proto.getParticipantsList(), Limits.ACTORS_PER_TABLE_MAX, Wire::actor),
                Wire.list(
                        "batches",
                        proto.getBatchesList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        TableLogMapping::fromProto),
                Wire.notNegative("bytes", proto.getBytes()));
    }

    private static Batch fromProto(RegistryProto.VersionBatch proto) {
        ByteString hash = proto.getHash();
        if (hash.size() > Sha256.HEX_CHARS / 2) {
            throw Wire.malformed("hash has " + hash.size() + " bytes");
        }
        return new Batch(
                IdentityMapping.fromProto(proto.getRequest()),
                hash.isEmpty()
                        ? Wire.text("sha256", proto.getSha256(), Sha256.HEX_CHARS)
                        : HexFormat.of().formatHex(hash.toByteArray()));
    }

    private static Decision fromProto(RegistryProto.VersionDecision proto) {
        return new Decision(
                Wire.notNegative("version", proto.getVersion()),
                proto.getCommitted(),
                Wire.list(
                        "batches",
                        proto.getBatchesList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        TableLogMapping::fromProto),
                Wire.list(
                        "refused",
                        proto.getRefusedList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        IdentityMapping::fromProto),
                Wire.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX),
                Wire.list("unacked", proto.getUnackedList(), Limits.ACTORS_PER_TABLE_MAX, Wire::actor));
    }
}
