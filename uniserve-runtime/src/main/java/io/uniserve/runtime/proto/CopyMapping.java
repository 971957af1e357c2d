package io.uniserve.runtime.proto;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.PeerReply.Compared;
import io.uniserve.protocol.message.PeerReply.Digested;
import io.uniserve.protocol.message.PeerRequest.CompareCopies;
import io.uniserve.protocol.message.PeerRequest.QuarantineCopy;
import io.uniserve.protocol.message.PeerRequest.TakeDigest;

/** Mapping of the messages that compare replicas of an actor. */
public final class CopyMapping {
    private CopyMapping() {}

    public static PeerProto.SetAside toProto(QuarantineCopy verdict) {
        return PeerProto.SetAside.newBuilder()
                .setKey(IdentityMapping.toProto(verdict.key()))
                .setEpoch(verdict.epoch())
                .setPrimary(verdict.primary().value())
                .setServer(verdict.server().value())
                .setReason(ProtoValidator.clip(verdict.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .build();
    }

    public static QuarantineCopy fromProto(PeerProto.SetAside proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new QuarantineCopy(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                IdentityMapping.server(proto.getPrimary()),
                IdentityMapping.server(proto.getServer()),
                ProtoValidator.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }

    public static PeerProto.TakeDigest toProto(TakeDigest request) {
        return PeerProto.TakeDigest.newBuilder()
                .setKey(IdentityMapping.toProto(request.key()))
                .setEpoch(request.epoch())
                .setIndex(request.index())
                .build();
    }

    public static TakeDigest fromProto(PeerProto.TakeDigest proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new TakeDigest(
                IdentityMapping.fromProto(proto.getKey()),
                ProtoValidator.notNegative("epoch", proto.getEpoch()),
                ProtoValidator.notNegative("index", proto.getIndex()));
    }

    public static PeerProto.CompareCopies toProto(CompareCopies request) {
        return PeerProto.CompareCopies.newBuilder()
                .setTable(request.table().value())
                .setKey(IdentityMapping.toProto(request.key()))
                .build();
    }

    public static CompareCopies fromProto(PeerProto.CompareCopies proto) {
        ProtoValidator.present("key", proto.hasKey());
        return new CompareCopies(IdentityMapping.table(proto.getTable()), IdentityMapping.fromProto(proto.getKey()));
    }

    public static PeerProto.Digested toProto(Digested reply) {
        return PeerProto.Digested.newBuilder()
                .setIndex(reply.index())
                .setLogHash(reply.logHash())
                .setDigest(BytesMapping.toProto(reply.digest()))
                .build();
    }

    public static Digested fromProto(PeerProto.Digested proto) {
        return new Digested(
                ProtoValidator.notNegative("index", proto.getIndex()),
                proto.getLogHash(),
                BytesMapping.fromProto("digest", proto.getDigest(), Limits.DIGEST_BYTES_MAX));
    }

    public static PeerProto.Compared toProto(Compared reply) {
        PeerProto.Compared.Builder proto = PeerProto.Compared.newBuilder().setIndex(reply.index());
        reply.copies()
                .forEach(copy -> proto.addCopies(PeerProto.ComparedCopy.newBuilder()
                        .setServer(copy.server().value())
                        .setVerdictValue(ProtoValidator.number(copy.verdict()))
                        .setDigest(copy.digest())
                        .setReason(ProtoValidator.clip(copy.reason(), Limits.MESSAGE_TEXT_CHARS_MAX))));
        return proto.build();
    }

    public static Compared fromProto(PeerProto.Compared proto) {
        return new Compared(
                ProtoValidator.notNegative("index", proto.getIndex()),
                ProtoValidator.list("copies", proto.getCopiesList(), Limits.SERVERS_MAX, CopyMapping::copy));
    }

    private static Compared.Copy copy(PeerProto.ComparedCopy proto) {
        return new Compared.Copy(
                IdentityMapping.server(proto.getServer()),
                ProtoValidator.constant("verdict", Compared.Verdict.values(), proto.getVerdictValue()),
                ProtoValidator.text("digest", proto.getDigest(), 2 * Limits.DIGEST_BYTES_MAX),
                ProtoValidator.text("reason", proto.getReason(), Limits.MESSAGE_TEXT_CHARS_MAX));
    }
}
