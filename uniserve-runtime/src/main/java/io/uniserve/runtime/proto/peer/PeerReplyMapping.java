package io.uniserve.runtime.proto.peer;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.runtime.proto.BackupMapping;
import io.uniserve.runtime.proto.CopyMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.LoadMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;
import io.uniserve.runtime.proto.RegistryCodec;
import io.uniserve.runtime.proto.TrashMapping;

/** Mapping of replies between daemons. */
public final class PeerReplyMapping {
    private PeerReplyMapping() {}

    /** Encodes a reply in its envelope. */
    public static PeerProto.PeerReplyEnvelope toProto(PeerReply reply) {
        PeerProto.PeerReplyEnvelope.Builder proto = PeerProto.PeerReplyEnvelope.newBuilder();
        if (reply instanceof PeerReply.Ack) {
            proto.setAck(PeerProto.Ack.getDefaultInstance());
        } else if (reply instanceof PeerReply.Pong pong) {
            proto.setPong(
                    PeerProto.Pong.newBuilder().setServer(pong.server().value()).setIncarnation(pong.incarnation()));
        } else if (reply instanceof PeerReply.Replicated replicated) {
            proto.setReplicated(ReplicateMapping.toProto(replicated));
        } else if (reply instanceof PeerReply.DrainReply emptying) {
            proto.setEmptying(PeerProto.Emptying.newBuilder().setPossible(emptying.possible()));
        } else if (reply instanceof PeerReply.IntactReplicaList list) {
            PeerProto.IntactReplicaList.Builder message = PeerProto.IntactReplicaList.newBuilder()
                    .setServer(list.server().value())
                    .setIncarnation(list.incarnation());
            list.replicas()
                    .forEach(whole -> message.addReplicas(PeerProto.WholeReplica.newBuilder()
                            .setKey(IdentityMapping.toProto(whole.key()))
                            .setInstalled(whole.installedEpoch())));
            proto.setIntactReplicas(message);
        } else if (reply instanceof PeerReply.Vote vote) {
            proto.setVote(AtomicMapping.toProto(vote));
        } else if (reply instanceof PeerReply.Load load) {
            proto.setLoad(LoadMapping.toProto(load));
        } else if (reply instanceof PeerReply.Pieces pieces) {
            proto.setPieces(ExchangeMapping.toProto(pieces));
        } else if (reply instanceof PeerReply.Trashed trash) {
            proto.setTrash(TrashMapping.toProto(trash.report()));
        } else if (reply instanceof PeerReply.Digested digested) {
            proto.setDigested(CopyMapping.toProto(digested));
        } else if (reply instanceof PeerReply.Compared compared) {
            proto.setCompared(CopyMapping.toProto(compared));
        } else {
            ArchiveMapping.put(proto, reply);
        }
        return proto.build();
    }

    /** Decodes the envelope's reply. Fails with INVALID_ARGUMENT if it is malformed. */
    public static PeerReply fromProto(PeerProto.PeerReplyEnvelope proto) {
        return switch (proto.getReplyCase()) {
            case ACK -> new PeerReply.Ack();
            case PONG ->
                new PeerReply.Pong(
                        IdentityMapping.server(proto.getPong().getServer()),
                        proto.getPong().getIncarnation());
            case REPLICATED -> ReplicateMapping.fromProto(proto.getReplicated());
            case EMPTYING -> new PeerReply.DrainReply(proto.getEmptying().getPossible());
            case INTACT_REPLICAS ->
                new PeerReply.IntactReplicaList(
                        IdentityMapping.server(proto.getIntactReplicas().getServer()),
                        proto.getIntactReplicas().getIncarnation(),
                        ProtoValidator.list(
                                "replicas",
                                proto.getIntactReplicas().getReplicasList(),
                                Limits.REPLICAS_PER_SERVER_MAX,
                                PeerReplyMapping::whole));
            case VOTE -> AtomicMapping.fromProto(proto.getVote());
            case LOAD -> LoadMapping.fromProto(proto.getLoad());
            case PINNED ->
                new PeerReply.Pinned(
                        ProtoValidator.identifier("sha256", proto.getPinned().getSha256()),
                        ProtoValidator.notNegative("index", proto.getPinned().getIndex()),
                        ProtoValidator.notNegative("bytes", proto.getPinned().getBytes()));
            case ARCHIVES ->
                new PeerReply.Archives(BackupMapping.infos(proto.getArchives().getBackupsList()));
            case MANIFESTS ->
                new PeerReply.Manifests(
                        ArchiveMapping.objects(proto.getManifests()),
                        ProtoValidator.notNegative(
                                "largest table number", proto.getManifests().getLargestTableId()));
            case COPIED -> new PeerReply.Copied(RegistryCodec.fromProto(proto.getCopied()));
            case PIECES -> ExchangeMapping.fromProto(proto.getPieces());
            case TRASH -> new PeerReply.Trashed(TrashMapping.fromProto(proto.getTrash()));
            case DIGESTED -> CopyMapping.fromProto(proto.getDigested());
            case COMPARED -> CopyMapping.fromProto(proto.getCompared());
            case REPLY_NOT_SET ->
                throw ProtoValidator.malformed("peer reply is missing or of a kind this version does not know");
        };
    }

    private static PeerReply.IntactReplicaList.IntactReplica whole(PeerProto.WholeReplica proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new PeerReply.IntactReplicaList.IntactReplica(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("installed", proto.getInstalled()));
    }
}
