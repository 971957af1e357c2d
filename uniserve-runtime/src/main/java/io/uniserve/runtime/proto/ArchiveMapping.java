package io.uniserve.runtime.proto;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import java.util.List;

/** Mapping of the coordinator's requests to servers about backups of tables, and their replies. */
final class ArchiveMapping {
    private ArchiveMapping() {}

    static PeerProto.PinActor toProto(PeerRequest.PinActor pin) {
        return PeerProto.PinActor.newBuilder()
                .setTable(pin.table().value())
                .setKey(IdentityMapping.toProto(pin.key()))
                .setBackup(pin.backup())
                .setVersion(pin.version())
                .build();
    }

    static PeerRequest.PinActor fromProto(PeerProto.PinActor proto) {
        ProtoChecks.present("key", proto.hasKey());
        return new PeerRequest.PinActor(
                IdentityMapping.table(proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                ProtoChecks.identifier("backup", proto.getBackup()),
                ProtoChecks.notNegative("version", proto.getVersion()));
    }

    static PeerProto.Archive toProto(ArchiveRequest request) {
        PeerProto.Archive.Builder proto = PeerProto.Archive.newBuilder();
        if (request instanceof ArchiveRequest.Store store) {
            proto.setStore(BytesMapping.toProto(store.manifest()));
        } else if (request instanceof ArchiveRequest.Find find) {
            proto.setFind(find.name());
        } else if (request instanceof ArchiveRequest.Read read) {
            proto.setRead(read.name());
        } else if (request instanceof ArchiveRequest.Salvage salvage) {
            proto.setSalvage(PeerProto.ActorBackup.newBuilder()
                    .setKey(IdentityMapping.toProto(salvage.key()))
                    .setBackup(salvage.backup())
                    .setBefore(salvage.before()));
        } else if (request instanceof ArchiveRequest.Survey survey) {
            proto.setSurvey(IdentityMapping.toProto(survey.key()));
        } else if (request instanceof ArchiveRequest.Check check) {
            proto.setCheck(PeerProto.ActorManifest.newBuilder()
                    .setManifest(BytesMapping.toProto(check.manifest()))
                    .setActor(check.actor()));
        } else if (request instanceof ArchiveRequest.Copy copy) {
            proto.setCopy(PeerProto.ActorManifest.newBuilder()
                    .setManifest(BytesMapping.toProto(copy.manifest()))
                    .setActor(copy.actor())
                    .setTarget(IdentityMapping.toProto(copy.target())));
        } else if (request instanceof ArchiveRequest.Release release) {
            proto.setRelease(PeerProto.ActorBackup.newBuilder()
                    .setTable(release.table().value())
                    .setCluster(release.cluster())
                    .setKey(IdentityMapping.toProto(release.key()))
                    .setBackup(release.backup()));
        } else if (request instanceof ArchiveRequest.Forget forget) {
            proto.setForget(PeerProto.ForgetBackup.newBuilder()
                    .setName(forget.name())
                    .setId(forget.id())
                    .setAll(forget.all()));
        } else {
            proto.setDefinitions(PeerProto.Definitions.getDefaultInstance());
        }
        return proto.build();
    }

    static ArchiveRequest fromProto(PeerProto.Archive proto) {
        return switch (proto.getRequestCase()) {
            case STORE ->
                new ArchiveRequest.Store(
                        BytesMapping.fromProto("store", proto.getStore(), Limits.BACKUP_MANIFEST_BYTES_MAX));
            case FIND -> new ArchiveRequest.Find(ProtoChecks.identifier("find", proto.getFind()));
            case READ -> new ArchiveRequest.Read(ProtoChecks.identifier("read", proto.getRead()));
            case SALVAGE -> {
                ProtoChecks.present("key", proto.getSalvage().hasKey());
                yield new ArchiveRequest.Salvage(
                        IdentityMapping.fromProto(proto.getSalvage().getKey()),
                        ProtoChecks.identifier("backup", proto.getSalvage().getBackup()),
                        ProtoChecks.notNegative("before", proto.getSalvage().getBefore()));
            }
            case SURVEY -> new ArchiveRequest.Survey(IdentityMapping.fromProto(proto.getSurvey()));
            case CHECK ->
                new ArchiveRequest.Check(
                        manifest(proto.getCheck()), proto.getCheck().getActor());
            case COPY -> {
                ProtoChecks.present("target", proto.getCopy().hasTarget());
                yield new ArchiveRequest.Copy(
                        manifest(proto.getCopy()),
                        proto.getCopy().getActor(),
                        IdentityMapping.fromProto(proto.getCopy().getTarget()));
            }
            case RELEASE -> {
                ProtoChecks.present("key", proto.getRelease().hasKey());
                yield new ArchiveRequest.Release(
                        IdentityMapping.table(proto.getRelease().getTable()),
                        ProtoChecks.identifier("cluster", proto.getRelease().getCluster()),
                        IdentityMapping.fromProto(proto.getRelease().getKey()),
                        ProtoChecks.identifier("backup", proto.getRelease().getBackup()));
            }
            case FORGET ->
                new ArchiveRequest.Forget(
                        ProtoChecks.identifier("name", proto.getForget().getName()),
                        ProtoChecks.identifier("id", proto.getForget().getId()),
                        proto.getForget().getAll());
            case DEFINITIONS -> new ArchiveRequest.Definitions();
            case REQUEST_NOT_SET ->
                throw ProtoChecks.malformed("archive request is missing or of a kind this version does not know");
        };
    }

    private static Bytes manifest(PeerProto.ActorManifest proto) {
        return BytesMapping.fromProto("manifest", proto.getManifest(), Limits.BACKUP_MANIFEST_BYTES_MAX);
    }

    static void put(PeerProto.PeerReplyEnvelope.Builder proto, PeerReply reply) {
        if (reply instanceof PeerReply.Pinned pinned) {
            proto.setPinned(PeerProto.Pinned.newBuilder()
                    .setSha256(pinned.sha256())
                    .setIndex(pinned.index())
                    .setBytes(pinned.bytes()));
        } else if (reply instanceof PeerReply.Archives archives) {
            PeerProto.Archives.Builder message = PeerProto.Archives.newBuilder();
            archives.backups().forEach(info -> message.addBackups(BackupMapping.toProto(info)));
            proto.setArchives(message);
        } else if (reply instanceof PeerReply.Manifests manifests) {
            PeerProto.Manifests.Builder message = PeerProto.Manifests.newBuilder();
            manifests.objects().forEach(object -> message.addObjects(BytesMapping.toProto(object)));
            proto.setManifests(message);
        } else if (reply instanceof PeerReply.Copied copied) {
            proto.setCopied(RegistryCodec.toProto(copied.record()));
        }
    }

    static List<Bytes> objects(PeerProto.Manifests proto) {
        return ProtoChecks.list(
                "objects",
                proto.getObjectsList(),
                Limits.BACKUPS_TOLD_MAX,
                object -> BytesMapping.fromProto("object", object, Limits.BACKUP_MANIFEST_BYTES_MAX));
    }
}
