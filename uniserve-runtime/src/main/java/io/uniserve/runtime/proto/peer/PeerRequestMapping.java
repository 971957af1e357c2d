package io.uniserve.runtime.proto.peer;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.ConfirmChunks;
import io.uniserve.protocol.message.PeerRequest.Draining;
import io.uniserve.protocol.message.PeerRequest.EpochStarted;
import io.uniserve.protocol.message.PeerRequest.EraseBackup;
import io.uniserve.protocol.message.PeerRequest.LearnerCaughtUp;
import io.uniserve.protocol.message.PeerRequest.ListIntactReplicas;
import io.uniserve.protocol.message.PeerRequest.Ping;
import io.uniserve.protocol.message.PeerRequest.PrimaryTransferReady;
import io.uniserve.protocol.message.PeerRequest.ReplicasFenced;
import io.uniserve.protocol.message.PeerRequest.ReportLoad;
import io.uniserve.protocol.message.PeerRequest.ReportUnhealthy;
import io.uniserve.protocol.message.PeerRequest.RequestNewEpoch;
import io.uniserve.protocol.message.PeerRequest.Suspect;
import io.uniserve.protocol.message.PeerRequest.UpdateTableDefinition;
import io.uniserve.protocol.message.PeerRequest.ValidateTable;
import io.uniserve.runtime.proto.CopyMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;
import io.uniserve.runtime.proto.TableMapping;
import io.uniserve.runtime.proto.TrashMapping;
import java.util.Optional;

/** Mapping of requests between daemons. */
public final class PeerRequestMapping {
    private static final PeerRequestEncoder ENCODER = new PeerRequestEncoder();

    private PeerRequestMapping() {}

    /** Encodes a request in its envelope. */
    public static PeerProto.PeerEnvelope toProto(String cluster, PeerRequest request) {
        PeerProto.PeerEnvelope.Builder proto =
                PeerProto.PeerEnvelope.newBuilder().setCluster(cluster);
        request.dispatch(ENCODER, proto);
        return proto.build();
    }

    private static ValidateTable fromProto(PeerProto.ValidateTable proto) {
        return new ValidateTable(
                TableMapping.fromProto(proto.getMeta()),
                proto.hasBefore() ? Optional.of(TableMapping.fromProto(proto.getBefore())) : Optional.empty());
    }

    /** Decodes the envelope's request. Fails with INVALID_ARGUMENT if it is malformed. */
    public static PeerRequest fromProto(PeerProto.PeerEnvelope proto) {
        return switch (proto.getRequestCase()) {
            case PING ->
                new Ping(
                        IdentityMapping.server(proto.getPing().getFrom()),
                        IdentityMapping.server(proto.getPing().getTo()));
            case REPLICATE -> ReplicateMapping.fromProto(proto.getReplicate());
            case SUSPECT -> suspect(proto.getSuspect());
            case CERTIFIED -> certified(proto.getCertified());
            case FENCED -> fenced(proto.getFenced());
            case UNFIT -> unfit(proto.getUnfit());
            case EPOCH_STARTED -> epochStarted(proto.getEpochStarted());
            case LIST_INTACT_REPLICAS ->
                new ListIntactReplicas(ProtoValidator.list(
                        "keys",
                        proto.getListIntactReplicas().getKeysList(),
                        Limits.REPLICAS_PER_SERVER_MAX,
                        IdentityMapping::fromProto));
            case HAND_OVER -> handOver(proto.getHandOver());
            case RENEW -> renew(proto.getRenew());
            case DRAINING ->
                new Draining(
                        IdentityMapping.server(proto.getDraining().getServer()),
                        proto.getDraining().getIncarnation());
            case VALIDATE_TABLE -> fromProto(proto.getValidateTable());
            case LEARN_TABLE ->
                new UpdateTableDefinition(
                        TableMapping.fromProto(proto.getLearnTable().getMeta()));
            case CONFIRM_CHUNKS -> confirmChunks(proto.getConfirmChunks());
            case REPORT_LOAD -> new ReportLoad();
            case PREPARE -> AtomicMapping.fromProto(proto.getPrepare());
            case DECIDE -> AtomicMapping.fromProto(proto.getDecide());
            case UNDISCLOSED -> AtomicMapping.fromProto(proto.getUndisclosed());
            case TELL -> AtomicMapping.fromProto(proto.getTell());
            case ERASE_BACKUP -> eraseBackup(proto.getEraseBackup());
            case PIN_ACTOR -> ArchiveMapping.fromProto(proto.getPinActor());
            case ARCHIVE -> new PeerRequest.Archive(ArchiveMapping.fromProto(proto.getArchive()));
            case PULL_CHUNKS -> ExchangeMapping.fromProto(proto.getPullChunks());
            case END_EXCHANGE -> new PeerRequest.EndExchange(ExchangeMapping.fromProto(proto.getEndExchange()));
            case TRASH -> new PeerRequest.Trash(TrashMapping.fromProto(proto.getTrash()));
            case SET_ASIDE -> CopyMapping.fromProto(proto.getSetAside());
            case TAKE_DIGEST -> CopyMapping.fromProto(proto.getTakeDigest());
            case COMPARE_COPIES -> CopyMapping.fromProto(proto.getCompareCopies());
            case REQUEST_NOT_SET ->
                throw ProtoValidator.malformed("peer request is missing or of a kind this version does not know");
        };
    }

    private static Suspect suspect(PeerProto.Suspect proto) {
        return new Suspect(
                IdentityMapping.server(proto.getReporter()),
                IdentityMapping.server(proto.getSuspect()),
                proto.getIncarnation(),
                proto.getFailedPings());
    }

    private static LearnerCaughtUp certified(PeerProto.Certified proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new LearnerCaughtUp(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()),
                IdentityMapping.server(proto.getLearner()),
                proto.getIncarnation());
    }

    private static ReplicasFenced fenced(PeerProto.Fenced proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new ReplicasFenced(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.list("servers", proto.getServersList(), Limits.SERVERS_MAX, IdentityMapping::server));
    }

    private static ConfirmChunks confirmChunks(PeerProto.ConfirmChunks proto) {
        return new ConfirmChunks(
                IdentityMapping.table(proto.getTable()),
                ProtoValidator.notNegative("table_id", proto.getTableId()),
                ProtoValidator.notNegative("generation", proto.getGeneration()));
    }

    private static EraseBackup eraseBackup(PeerProto.EraseBackup proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new EraseBackup(new TableName(proto.getTable()), IdentityMapping.fromProto(proto.getKey()));
    }

    private static ReportUnhealthy unfit(PeerProto.Unfit proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new ReportUnhealthy(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getServer()),
                ProtoValidator.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX),
                proto.getLost());
    }

    private static EpochStarted epochStarted(PeerProto.EpochStarted proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new EpochStarted(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()));
    }

    private static RequestNewEpoch renew(PeerProto.Renew proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new RequestNewEpoch(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()));
    }

    private static PrimaryTransferReady handOver(PeerProto.HandOver proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new PrimaryTransferReady(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()),
                ProtoValidator.list(
                        "successors", proto.getSuccessorsList(), Limits.SERVERS_MAX, IdentityMapping::server));
    }
}
