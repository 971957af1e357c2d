package io.uniserve.runtime.transport.certificate;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.access.CertificateStatus;
import io.uniserve.runtime.proto.CertificatesProto;
import io.uniserve.runtime.proto.ProtoValidator;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.X509EncodedKeySpec;

/** Mapping of messages about certificates. */
public final class CertificateMapping {
    private static final int FIELD_BITS = 256;
    private static final int CHARS_MAX = 512;

    private CertificateMapping() {}

    public static CertificatesProto.CertificateStatus toProto(CertificateStatus status) {
        CertificatesProto.CertificateStatus.Builder proto = CertificatesProto.CertificateStatus.newBuilder()
                .setIdentity(status.identity())
                .setEndMillis(status.endMillis())
                .setAuthority(status.authority())
                .setReloads(status.reloads())
                .setFailures(status.failures());
        status.trusted()
                .forEach(one -> proto.addTrusted(CertificatesProto.TrustedAuthority.newBuilder()
                        .setFingerprint(one.fingerprint())
                        .setBeginMillis(one.beginMillis())));
        return proto.build();
    }

    public static CertificateStatus fromProto(CertificatesProto.CertificateStatus proto) {
        return new CertificateStatus(
                ProtoValidator.text("identity", proto.getIdentity(), CHARS_MAX),
                proto.getEndMillis(),
                ProtoValidator.text("authority", proto.getAuthority(), CHARS_MAX),
                ProtoValidator.list(
                        "trusted",
                        proto.getTrustedList(),
                        Limits.AUTHORITIES_MAX,
                        one -> new CertificateStatus.Authority(
                                ProtoValidator.text("fingerprint", one.getFingerprint(), CHARS_MAX),
                                one.getBeginMillis())),
                proto.getReloads(),
                proto.getFailures());
    }

    /** The key. Fails with INVALID_ARGUMENT if it is not one of a curve of 256 bits. */
    static PublicKey publicKey(byte[] encoded) {
        try {
            PublicKey key = KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(encoded));
            if (key instanceof ECPublicKey curve
                    && curve.getParams().getCurve().getField().getFieldSize() == FIELD_BITS) {
                return key;
            }
        } catch (GeneralSecurityException e) {
            throw malformedKey();
        }
        throw malformedKey();
    }

    private static UniserveException malformedKey() {
        return ProtoValidator.malformed("public_key is no key of curve P-256");
    }
}
