package io.uniserve.runtime.proto.peer;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.CoordinatorRequest;
import io.uniserve.protocol.message.ExchangeRequest;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.ConfirmChunks;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Draining;
import io.uniserve.protocol.message.PeerRequest.EpochStarted;
import io.uniserve.protocol.message.PeerRequest.EraseBackup;
import io.uniserve.protocol.message.PeerRequest.IsCommitInvisible;
import io.uniserve.protocol.message.PeerRequest.LearnerCaughtUp;
import io.uniserve.protocol.message.PeerRequest.ListIntactReplicas;
import io.uniserve.protocol.message.PeerRequest.Ping;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.PeerRequest.PrimaryTransferReady;
import io.uniserve.protocol.message.PeerRequest.ReplicasFenced;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.PeerRequest.ReportLoad;
import io.uniserve.protocol.message.PeerRequest.ReportUnhealthy;
import io.uniserve.protocol.message.PeerRequest.RequestNewEpoch;
import io.uniserve.protocol.message.PeerRequest.Suspect;
import io.uniserve.protocol.message.PeerRequest.UpdateTableDefinition;
import io.uniserve.protocol.message.PeerRequest.ValidateTable;
import io.uniserve.protocol.message.ReplicaRequest;
import io.uniserve.protocol.message.ServerRequest;
import io.uniserve.protocol.message.TransactionRequest;
import io.uniserve.runtime.proto.CopyMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;
import io.uniserve.runtime.proto.TableMapping;
import io.uniserve.runtime.proto.TrashMapping;

/** Writes each kind of request into its field of the envelope. */
final class PeerRequestEncoder
        implements PeerRequest.Families<PeerProto.PeerEnvelope.Builder>,
                ReplicaRequest.Handler<PeerProto.PeerEnvelope.Builder>,
                TransactionRequest.Handler<PeerProto.PeerEnvelope.Builder>,
                ServerRequest.Handler<PeerProto.PeerEnvelope.Builder>,
                CoordinatorRequest.Handler<PeerProto.PeerEnvelope.Builder>,
                ExchangeRequest.Handler<PeerProto.PeerEnvelope.Builder> {
    @Override
    public void replica(ReplicaRequest request, PeerProto.PeerEnvelope.Builder proto) {
        request.handle(this, proto);
    }

    @Override
    public void transaction(TransactionRequest request, PeerProto.PeerEnvelope.Builder proto) {
        request.handle(this, proto);
    }

    @Override
    public void server(ServerRequest request, PeerProto.PeerEnvelope.Builder proto) {
        request.handle(this, proto);
    }

    @Override
    public void coordinator(CoordinatorRequest request, PeerProto.PeerEnvelope.Builder proto) {
        request.handle(this, proto);
    }

    @Override
    public void exchange(ExchangeRequest request, PeerProto.PeerEnvelope.Builder proto) {
        request.handle(this, proto);
    }

    @Override
    public void replicate(Replicate request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setReplicate(ReplicateMapping.toProto(request));
    }

    @Override
    public void quarantineCopy(PeerRequest.QuarantineCopy request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setSetAside(CopyMapping.toProto(request));
    }

    @Override
    public void takeDigest(PeerRequest.TakeDigest request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setTakeDigest(CopyMapping.toProto(request));
    }

    @Override
    public void compareCopies(PeerRequest.CompareCopies request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setCompareCopies(CopyMapping.toProto(request));
    }

    @Override
    public void prepare(Prepare request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setPrepare(AtomicMapping.toProto(request));
    }

    @Override
    public void decide(Decide request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setDecide(AtomicMapping.toProto(request));
    }

    @Override
    public void isCommitInvisible(IsCommitInvisible request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setUndisclosed(AtomicMapping.toProto(request));
    }

    @Override
    public void publishTransactionLog(PeerRequest.PublishTransactionLog request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setTell(AtomicMapping.toProto(request));
    }

    @Override
    public void ping(Ping request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setPing(PeerProto.Ping.newBuilder()
                .setFrom(request.from().value())
                .setTo(request.to().value()));
    }

    @Override
    public void listIntactReplicas(ListIntactReplicas request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setListIntactReplicas(toProto(request));
    }

    @Override
    public void validateTable(ValidateTable request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setValidateTable(toProto(request));
    }

    @Override
    public void updateTableDefinition(UpdateTableDefinition request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setLearnTable(PeerProto.LearnTable.newBuilder().setMeta(TableMapping.toProto(request.meta())));
    }

    @Override
    public void confirmChunks(ConfirmChunks request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setConfirmChunks(PeerProto.ConfirmChunks.newBuilder()
                .setTable(request.table().value())
                .setTableId(request.tableId())
                .setGeneration(request.generation()));
    }

    @Override
    public void reportLoad(ReportLoad request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setReportLoad(PeerProto.ReportLoad.getDefaultInstance());
    }

    @Override
    public void eraseBackup(EraseBackup request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setEraseBackup(toProto(request));
    }

    @Override
    public void pinActor(PeerRequest.PinActor request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setPinActor(ArchiveMapping.toProto(request));
    }

    @Override
    public void archive(PeerRequest.Archive request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setArchive(ArchiveMapping.toProto(request.request()));
    }

    @Override
    public void trash(PeerRequest.Trash request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setTrash(TrashMapping.toProto(request.call()));
    }

    @Override
    public void suspect(Suspect request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setSuspect(toProto(request));
    }

    @Override
    public void learnerCaughtUp(LearnerCaughtUp request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setCertified(PeerProto.Certified.newBuilder()
                .setKey(IdentityMapping.toProto(request.key()))
                .setEpoch(request.epoch())
                .setPrimary(request.primary().value())
                .setLearner(request.learner().value())
                .setIncarnation(request.incarnation()));
    }

    @Override
    public void replicasFenced(ReplicasFenced request, PeerProto.PeerEnvelope.Builder proto) {
        PeerProto.Fenced.Builder message = PeerProto.Fenced.newBuilder()
                .setKey(IdentityMapping.toProto(request.key()))
                .setEpoch(request.epoch());
        request.servers().forEach(server -> message.addServers(server.value()));
        proto.setFenced(message);
    }

    @Override
    public void epochStarted(EpochStarted request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setEpochStarted(toProto(request));
    }

    @Override
    public void reportUnhealthy(ReportUnhealthy request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setUnfit(PeerProto.Unfit.newBuilder()
                .setKey(IdentityMapping.toProto(request.key()))
                .setEpoch(request.epoch())
                .setServer(request.server().value())
                .setReason(ProtoValidator.clip(request.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .setLost(request.dataLost()));
    }

    @Override
    public void primaryTransferReady(PrimaryTransferReady request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setHandOver(toProto(request));
    }

    @Override
    public void requestNewEpoch(RequestNewEpoch request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setRenew(toProto(request));
    }

    @Override
    public void draining(Draining request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setDraining(toProto(request));
    }

    @Override
    public void pullChunks(PeerRequest.PullChunks request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setPullChunks(ExchangeMapping.toProto(request));
    }

    @Override
    public void endExchange(PeerRequest.EndExchange request, PeerProto.PeerEnvelope.Builder proto) {
        proto.setEndExchange(ExchangeMapping.toProto(request.exchange()));
    }

    private static PeerProto.Suspect toProto(Suspect suspect) {
        return PeerProto.Suspect.newBuilder()
                .setReporter(suspect.reporter().value())
                .setSuspect(suspect.suspect().value())
                .setIncarnation(suspect.incarnation())
                .setFailedPings(suspect.failedPings())
                .build();
    }

    private static PeerProto.EpochStarted toProto(EpochStarted epochStarted) {
        return PeerProto.EpochStarted.newBuilder()
                .setKey(IdentityMapping.toProto(epochStarted.key()))
                .setEpoch(epochStarted.epoch())
                .setPrimary(epochStarted.primary().value())
                .build();
    }

    private static PeerProto.Renew toProto(RequestNewEpoch renew) {
        return PeerProto.Renew.newBuilder()
                .setKey(IdentityMapping.toProto(renew.key()))
                .setEpoch(renew.epoch())
                .setPrimary(renew.primary().value())
                .build();
    }

    private static PeerProto.ListIntactReplicas toProto(ListIntactReplicas listIntactReplicas) {
        PeerProto.ListIntactReplicas.Builder message = PeerProto.ListIntactReplicas.newBuilder();
        listIntactReplicas.keys().forEach(key -> message.addKeys(IdentityMapping.toProto(key)));
        return message.build();
    }

    private static PeerProto.HandOver toProto(PrimaryTransferReady over) {
        PeerProto.HandOver.Builder message = PeerProto.HandOver.newBuilder()
                .setKey(IdentityMapping.toProto(over.key()))
                .setEpoch(over.epoch())
                .setPrimary(over.primary().value());
        over.successors().forEach(server -> message.addSuccessors(server.value()));
        return message.build();
    }

    private static PeerProto.Draining toProto(Draining draining) {
        return PeerProto.Draining.newBuilder()
                .setServer(draining.server().value())
                .setIncarnation(draining.incarnation())
                .build();
    }

    private static PeerProto.EraseBackup toProto(EraseBackup erase) {
        return PeerProto.EraseBackup.newBuilder()
                .setTable(erase.table().value())
                .setKey(IdentityMapping.toProto(erase.key()))
                .build();
    }

    private static PeerProto.ValidateTable toProto(ValidateTable validate) {
        PeerProto.ValidateTable.Builder message =
                PeerProto.ValidateTable.newBuilder().setMeta(TableMapping.toProto(validate.meta()));
        validate.before().ifPresent(before -> message.setBefore(TableMapping.toProto(before)));
        return message.build();
    }
}
