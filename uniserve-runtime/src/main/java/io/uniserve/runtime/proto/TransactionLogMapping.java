package io.uniserve.runtime.proto;

import com.google.protobuf.ByteString;
import io.uniserve.codec.Sha256;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.ChunkVersions;
import io.uniserve.model.registry.DecisionHistory;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.Decision;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;

/** Mapping of transaction logs in ZooKeeper. */
public final class TransactionLogMapping {
    private TransactionLogMapping() {}

    public static RegistryProto.TableLog toProto(TransactionLogState log) {
        RegistryProto.TableLog.Builder proto = RegistryProto.TableLog.newBuilder()
                .setTableId(log.tableId())
                .setVersion(log.committedVersion())
                .setNext(log.nextVersion())
                .setForgotten(log.newestForgottenVersion())
                .setOutcomes(log.historyNumber())
                .setChunkVersions(BytesMapping.toProto(log.chunkVersions().encode()));
        InFlight flight = log.inFlight();
        if (flight != null) {
            RegistryProto.VersionInFlight.Builder message = RegistryProto.VersionInFlight.newBuilder()
                    .setVersion(flight.version())
                    .setDriver(flight.manager().value())
                    .addAllParticipants(flight.participants())
                    .setBytes(flight.bytes());
            flight.batches().forEach(batch -> message.addBatches(toProto(batch)));
            proto.setInFlight(message);
        }
        return proto.setSettled(packed(log.decisions(), proto::addDecisions)).build();
    }

    static RegistryProto.TableOutcomes toProto(DecisionHistory outcomes) {
        RegistryProto.TableOutcomes.Builder proto = RegistryProto.TableOutcomes.newBuilder()
                .setTableId(outcomes.tableId())
                .setNumber(outcomes.writeNumber());
        return proto.setSettled(packed(outcomes.decisions(), proto::addDecisions))
                .build();
    }

    /**
     * Packs settled decisions.
     *
     * @param others receives decisions that cannot be packed
     */
    private static ByteString packed(List<Decision> decisions, Consumer<RegistryProto.VersionDecision> others) {
        List<Decision> settled = new ArrayList<>();
        boolean ascending = ascending(decisions);
        for (Decision decision : decisions) {
            if (ascending && DecisionHistoryCodec.isEncodable(decision)) {
                settled.add(decision);
            } else {
                others.accept(toProto(decision));
            }
        }
        return DecisionHistoryCodec.pack(settled);
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
        return DecisionHistoryCodec.isHash(sha256)
                ? proto.setHash(ByteString.copyFrom(HexFormat.of().parseHex(sha256)))
                        .build()
                : proto.setSha256(sha256).build();
    }

    private static RegistryProto.VersionDecision toProto(Decision decision) {
        RegistryProto.VersionDecision.Builder proto = RegistryProto.VersionDecision.newBuilder()
                .setVersion(decision.version())
                .setCommitted(decision.committed())
                .setReason(ProtoValidator.clip(decision.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .addAllUnacked(decision.unackedParticipants());
        decision.batches().forEach(batch -> proto.addBatches(toProto(batch)));
        decision.refusedRequests().forEach(request -> proto.addRefused(IdentityMapping.toProto(request)));
        return proto.build();
    }

    public static TransactionLogState fromProto(RegistryProto.TableLog proto) {
        InFlight flight = proto.hasInFlight() ? fromProto(proto.getInFlight()) : null;
        return new TransactionLogState(
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.notNegative("version", proto.getVersion()),
                ProtoValidator.notNegative("next", proto.getNext()),
                flight,
                decisions(proto.getSettled(), proto.getDecisionsList()),
                ProtoValidator.notNegative("forgotten", proto.getForgotten()),
                ProtoValidator.notNegative("outcomes", proto.getOutcomes()),
                chunkVersions(proto.getChunkVersions()));
    }

    /** Newest chunks of committed versions, see {@link ChunkVersions#encode}. */
    public static ChunkVersions chunkVersions(ByteString bytes) {
        try {
            return ChunkVersions.decode(
                    BytesMapping.fromProto("chunk_versions", bytes, Limits.CHUNK_VERSIONS_BYTES_MAX));
        } catch (UniserveException e) {
            throw ProtoValidator.malformed(e.reason());
        }
    }

    static DecisionHistory fromProto(RegistryProto.TableOutcomes proto) {
        return new DecisionHistory(
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.notNegative("number", proto.getNumber()),
                decisions(proto.getSettled(), proto.getDecisionsList()));
    }

    private static List<Decision> decisions(ByteString settled, List<RegistryProto.VersionDecision> others) {
        return merged(
                DecisionHistoryCodec.unpack(settled),
                ProtoValidator.list("decisions", others, Limits.TABLE_DECISIONS_MAX, TransactionLogMapping::fromProto));
    }

    /** Merges both lists in the order of versions. */
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
                ProtoValidator.notNegative("version", proto.getVersion()),
                IdentityMapping.server(proto.getDriver()),
                ProtoValidator.list(
                        "participants",
                        proto.getParticipantsList(),
                        Limits.TIME_ACTORS_PER_TABLE_MAX,
                        ProtoValidator::actor),
                ProtoValidator.list(
                        "batches",
                        proto.getBatchesList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        TransactionLogMapping::fromProto),
                ProtoValidator.notNegative("bytes", proto.getBytes()));
    }

    private static Batch fromProto(RegistryProto.VersionBatch proto) {
        ByteString hash = proto.getHash();
        if (hash.size() > Sha256.HEX_CHARS / 2) {
            throw ProtoValidator.malformed("hash has " + hash.size() + " bytes");
        }
        return new Batch(
                IdentityMapping.fromProto(proto.getRequest()),
                hash.isEmpty()
                        ? ProtoValidator.text("sha256", proto.getSha256(), Sha256.HEX_CHARS)
                        : HexFormat.of().formatHex(hash.toByteArray()));
    }

    private static Decision fromProto(RegistryProto.VersionDecision proto) {
        return new Decision(
                ProtoValidator.notNegative("version", proto.getVersion()),
                proto.getCommitted(),
                ProtoValidator.list(
                        "batches",
                        proto.getBatchesList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        TransactionLogMapping::fromProto),
                ProtoValidator.list(
                        "refused",
                        proto.getRefusedList(),
                        Limits.ATOMIC_BATCHES_PER_VERSION_MAX,
                        IdentityMapping::fromProto),
                ProtoValidator.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX),
                ProtoValidator.list(
                        "unacked", proto.getUnackedList(), Limits.TIME_ACTORS_PER_TABLE_MAX, ProtoValidator::actor));
    }
}
