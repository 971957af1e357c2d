package io.uniserve.runtime.proto.peer;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ArchiveRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.runtime.proto.BackupMapping;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.IdentityMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;
import io.uniserve.runtime.proto.RegistryCodec;
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
        ProtoValidator.present("key", proto.hasKey());
        return new PeerRequest.PinActor(
                IdentityMapping.table(proto.getTable()),
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.identifier("backup", proto.getBackup()),
                ProtoValidator.notNegative("version", proto.getVersion()));
    }

    static PeerProto.Archive toProto(ArchiveRequest request) {
        PeerProto.Archive.Builder proto = PeerProto.Archive.newBuilder();
        if (request instanceof ArchiveRequest.StoreManifest store) {
            proto.setStore(BytesMapping.toProto(store.manifest()));
        } else if (request instanceof ArchiveRequest.FindBackups find) {
            proto.setFind(find.name());
        } else if (request instanceof ArchiveRequest.ReadManifest read) {
            proto.setRead(read.name());
        } else if (request instanceof ArchiveRequest.ReadManifests read) {
            proto.setManifests(
                    PeerProto.BackupId.newBuilder().setName(read.name()).setId(read.id()));
        } else if (request instanceof ArchiveRequest.FindActors find) {
            proto.setActors(find.tableId());
        } else if (request instanceof ArchiveRequest.PinLostActor salvage) {
            proto.setSalvage(PeerProto.ActorBackup.newBuilder()
                    .setKey(IdentityMapping.toProto(salvage.key()))
                    .setBackup(salvage.backup())
                    .setBefore(salvage.versionLimit()));
        } else if (request instanceof ArchiveRequest.FindShippedVersions survey) {
            proto.setSurvey(IdentityMapping.toProto(survey.key()));
        } else if (request instanceof ArchiveRequest.VerifyPart check) {
            proto.setCheck(PeerProto.ActorManifest.newBuilder()
                    .setManifest(BytesMapping.toProto(check.manifest()))
                    .setActor(check.actor()));
        } else if (request instanceof ArchiveRequest.CopyPart copy) {
            proto.setCopy(PeerProto.ActorManifest.newBuilder()
                    .setManifest(BytesMapping.toProto(copy.manifest()))
                    .setActor(copy.actor())
                    .setTarget(IdentityMapping.toProto(copy.target())));
        } else if (request instanceof ArchiveRequest.DeletePin release) {
            proto.setRelease(PeerProto.ActorBackup.newBuilder()
                    .setTable(release.table().value())
                    .setCluster(release.cluster())
                    .setKey(IdentityMapping.toProto(release.key()))
                    .setBackup(release.backup()));
        } else if (request instanceof ArchiveRequest.DeleteManifests forget) {
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
                new ArchiveRequest.StoreManifest(
                        BytesMapping.fromProto("store", proto.getStore(), Limits.BACKUP_MANIFEST_BYTES_MAX));
            case FIND -> new ArchiveRequest.FindBackups(ProtoValidator.identifier("find", proto.getFind()));
            case READ -> new ArchiveRequest.ReadManifest(ProtoValidator.identifier("read", proto.getRead()));
            case MANIFESTS ->
                new ArchiveRequest.ReadManifests(
                        ProtoValidator.identifier("name", proto.getManifests().getName()),
                        ProtoValidator.identifier("id", proto.getManifests().getId()));
            case ACTORS -> new ArchiveRequest.FindActors(ProtoValidator.notNegative("actors", proto.getActors()));
            case SALVAGE -> {
                ProtoValidator.present("key", proto.getSalvage().hasKey());
                yield new ArchiveRequest.PinLostActor(
                        IdentityMapping.fromProto(proto.getSalvage().getKey()),
                        ProtoValidator.identifier("backup", proto.getSalvage().getBackup()),
                        ProtoValidator.notNegative("before", proto.getSalvage().getBefore()));
            }
            case SURVEY -> new ArchiveRequest.FindShippedVersions(IdentityMapping.fromProto(proto.getSurvey()));
            case CHECK ->
                new ArchiveRequest.VerifyPart(
                        manifest(proto.getCheck()), proto.getCheck().getActor());
            case COPY -> {
                ProtoValidator.present("target", proto.getCopy().hasTarget());
                yield new ArchiveRequest.CopyPart(
                        manifest(proto.getCopy()),
                        proto.getCopy().getActor(),
                        IdentityMapping.fromProto(proto.getCopy().getTarget()));
            }
            case RELEASE -> {
                ProtoValidator.present("key", proto.getRelease().hasKey());
                yield new ArchiveRequest.DeletePin(
                        IdentityMapping.table(proto.getRelease().getTable()),
                        ProtoValidator.identifier("cluster", proto.getRelease().getCluster()),
                        IdentityMapping.fromProto(proto.getRelease().getKey()),
                        ProtoValidator.identifier("backup", proto.getRelease().getBackup()));
            }
            case FORGET ->
                new ArchiveRequest.DeleteManifests(
                        ProtoValidator.identifier("name", proto.getForget().getName()),
                        ProtoValidator.identifier("id", proto.getForget().getId()),
                        proto.getForget().getAll());
            case DEFINITIONS -> new ArchiveRequest.Definitions();
            case REQUEST_NOT_SET ->
                throw ProtoValidator.malformed("archive request is missing or of a kind this version does not know");
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
            PeerProto.Manifests.Builder message =
                    PeerProto.Manifests.newBuilder().setLargestTableId(manifests.largestTableId());
            manifests.objects().forEach(object -> message.addObjects(BytesMapping.toProto(object)));
            proto.setManifests(message);
        } else if (reply instanceof PeerReply.Copied copied) {
            proto.setCopied(RegistryCodec.toProto(copied.record()));
        }
    }

    static List<Bytes> objects(PeerProto.Manifests proto) {
        return ProtoValidator.list(
                "objects",
                proto.getObjectsList(),
                Limits.BACKUPS_TOLD_MAX,
                object -> BytesMapping.fromProto("object", object, Limits.BACKUP_MANIFEST_BYTES_MAX));
    }
}
