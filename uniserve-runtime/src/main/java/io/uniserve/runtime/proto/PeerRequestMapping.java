package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PeerRequest.Begun;
import io.uniserve.protocol.message.PeerRequest.Certified;
import io.uniserve.protocol.message.PeerRequest.Decide;
import io.uniserve.protocol.message.PeerRequest.Draining;
import io.uniserve.protocol.message.PeerRequest.EraseBackup;
import io.uniserve.protocol.message.PeerRequest.Fenced;
import io.uniserve.protocol.message.PeerRequest.HandOver;
import io.uniserve.protocol.message.PeerRequest.LearnTable;
import io.uniserve.protocol.message.PeerRequest.Ping;
import io.uniserve.protocol.message.PeerRequest.Prepare;
import io.uniserve.protocol.message.PeerRequest.Renew;
import io.uniserve.protocol.message.PeerRequest.Replicate;
import io.uniserve.protocol.message.PeerRequest.ReportLoad;
import io.uniserve.protocol.message.PeerRequest.Suspect;
import io.uniserve.protocol.message.PeerRequest.Undisclosed;
import io.uniserve.protocol.message.PeerRequest.Unfit;
import io.uniserve.protocol.message.PeerRequest.ValidateTable;
import io.uniserve.protocol.message.PeerRequest.Vouch;
import java.util.Optional;

/** Mapping of requests between daemons. */
public final class PeerRequestMapping {
    private PeerRequestMapping() {}

    /** Encodes a request in its envelope. */
    public static PeerProto.PeerEnvelope toProto(String cluster, PeerRequest request) {
        PeerProto.PeerEnvelope.Builder proto =
                PeerProto.PeerEnvelope.newBuilder().setCluster(cluster);
        if (request instanceof Ping ping) {
            proto.setPing(PeerProto.Ping.newBuilder()
                    .setFrom(ping.from().value())
                    .setTo(ping.to().value()));
        } else if (request instanceof Replicate replicate) {
            proto.setReplicate(ReplicateMapping.toProto(replicate));
        } else if (request instanceof Suspect suspect) {
            proto.setSuspect(toProto(suspect));
        } else if (request instanceof Certified certified) {
            proto.setCertified(PeerProto.Certified.newBuilder()
                    .setKey(IdentityMapping.toProto(certified.key()))
                    .setEpoch(certified.epoch())
                    .setPrimary(certified.primary().value())
                    .setLearner(certified.learner().value())
                    .setIncarnation(certified.incarnation()));
        } else if (request instanceof Fenced fenced) {
            PeerProto.Fenced.Builder message = PeerProto.Fenced.newBuilder()
                    .setKey(IdentityMapping.toProto(fenced.key()))
                    .setEpoch(fenced.epoch());
            fenced.servers().forEach(server -> message.addServers(server.value()));
            proto.setFenced(message);
        } else if (request instanceof Unfit unfit) {
            proto.setUnfit(PeerProto.Unfit.newBuilder()
                    .setKey(IdentityMapping.toProto(unfit.key()))
                    .setEpoch(unfit.epoch())
                    .setServer(unfit.server().value())
                    .setReason(ProtoChecks.clip(unfit.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                    .setLost(unfit.lost()));
        } else if (request instanceof Begun begun) {
            proto.setBegun(toProto(begun));
        } else if (request instanceof Vouch vouch) {
            proto.setVouch(toProto(vouch));
        } else if (request instanceof HandOver over) {
            proto.setHandOver(toProto(over));
        } else if (request instanceof Renew renew) {
            proto.setRenew(toProto(renew));
        } else if (request instanceof Draining draining) {
            proto.setDraining(toProto(draining));
        } else if (request instanceof ValidateTable validate) {
            proto.setValidateTable(toProto(validate));
        } else if (request instanceof LearnTable learn) {
            proto.setLearnTable(PeerProto.LearnTable.newBuilder().setMeta(TableMapping.toProto(learn.meta())));
        } else if (request instanceof EraseBackup erase) {
            proto.setEraseBackup(toProto(erase));
        } else if (request instanceof Prepare prepare) {
            proto.setPrepare(AtomicMapping.toProto(prepare));
        } else if (request instanceof Decide decide) {
            proto.setDecide(AtomicMapping.toProto(decide));
        } else if (request instanceof Undisclosed asked) {
            proto.setUndisclosed(AtomicMapping.toProto(asked));
        } else if (request instanceof PeerRequest.Tell tell) {
            proto.setTell(AtomicMapping.toProto(tell));
        } else if (request instanceof PeerRequest.PinActor pin) {
            proto.setPinActor(ArchiveMapping.toProto(pin));
        } else if (request instanceof PeerRequest.Archive archive) {
            proto.setArchive(ArchiveMapping.toProto(archive.request()));
        } else if (request instanceof PeerRequest.PullChunks pull) {
            proto.setPullChunks(ExchangeMapping.toProto(pull));
        } else if (request instanceof PeerRequest.EndExchange end) {
            proto.setEndExchange(ExchangeMapping.toProto(end.exchange()));
        } else if (request instanceof ReportLoad) {
            proto.setReportLoad(PeerProto.ReportLoad.getDefaultInstance());
        } else {
            putCare(proto, request);
        }
        return proto.build();
    }

    /** Encodes requests about the comparison of replicas, and about the trash. */
    private static void putCare(PeerProto.PeerEnvelope.Builder proto, PeerRequest request) {
        if (request instanceof PeerRequest.Trash trash) {
            proto.setTrash(TrashMapping.toProto(trash.call()));
        } else if (request instanceof PeerRequest.SetAside verdict) {
            proto.setSetAside(CopyMapping.toProto(verdict));
        } else if (request instanceof PeerRequest.TakeDigest take) {
            proto.setTakeDigest(CopyMapping.toProto(take));
        } else if (request instanceof PeerRequest.CompareCopies compare) {
            proto.setCompareCopies(CopyMapping.toProto(compare));
        }
    }

    private static PeerProto.Suspect toProto(Suspect suspect) {
        return PeerProto.Suspect.newBuilder()
                .setReporter(suspect.reporter().value())
                .setSuspect(suspect.suspect().value())
                .setIncarnation(suspect.incarnation())
                .setFailedPings(suspect.failedPings())
                .build();
    }

    private static PeerProto.Begun toProto(Begun begun) {
        return PeerProto.Begun.newBuilder()
                .setKey(IdentityMapping.toProto(begun.key()))
                .setEpoch(begun.epoch())
                .setPrimary(begun.primary().value())
                .build();
    }

    private static PeerProto.Renew toProto(Renew renew) {
        return PeerProto.Renew.newBuilder()
                .setKey(IdentityMapping.toProto(renew.key()))
                .setEpoch(renew.epoch())
                .setPrimary(renew.primary().value())
                .build();
    }

    private static PeerProto.Vouch toProto(Vouch vouch) {
        PeerProto.Vouch.Builder message = PeerProto.Vouch.newBuilder();
        vouch.keys().forEach(key -> message.addKeys(IdentityMapping.toProto(key)));
        return message.build();
    }

    private static PeerProto.HandOver toProto(HandOver over) {
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
            case BEGUN -> begun(proto.getBegun());
            case VOUCH ->
                new Vouch(ProtoChecks.list(
                        "keys",
                        proto.getVouch().getKeysList(),
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
                new LearnTable(TableMapping.fromProto(proto.getLearnTable().getMeta()));
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
                throw ProtoChecks.malformed("peer request is missing or of a kind this version does not know");
        };
    }

    private static Suspect suspect(PeerProto.Suspect proto) {
        return new Suspect(
                IdentityMapping.server(proto.getReporter()),
                IdentityMapping.server(proto.getSuspect()),
                proto.getIncarnation(),
                proto.getFailedPings());
    }

    private static Certified certified(PeerProto.Certified proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new Certified(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()),
                IdentityMapping.server(proto.getLearner()),
                proto.getIncarnation());
    }

    private static Fenced fenced(PeerProto.Fenced proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new Fenced(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                ProtoChecks.list("servers", proto.getServersList(), Limits.SERVERS_MAX, IdentityMapping::server));
    }

    private static EraseBackup eraseBackup(PeerProto.EraseBackup proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new EraseBackup(new TableName(proto.getTable()), IdentityMapping.fromProto(proto.getKey()));
    }

    private static Unfit unfit(PeerProto.Unfit proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new Unfit(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getServer()),
                ProtoChecks.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX),
                proto.getLost());
    }

    private static Begun begun(PeerProto.Begun proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new Begun(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()));
    }

    private static Renew renew(PeerProto.Renew proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new Renew(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()));
    }

    private static HandOver handOver(PeerProto.HandOver proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new HandOver(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()),
                ProtoChecks.list("successors", proto.getSuccessorsList(), Limits.SERVERS_MAX, IdentityMapping::server));
    }
}
