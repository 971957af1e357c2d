package io.uniserve.runtime.transport.certificate;

import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.Right;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.proto.CertificatesGrpc;
import io.uniserve.runtime.proto.CertificatesProto;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.PemCertificates;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.AccessControl.Caller;
import io.uniserve.runtime.transport.access.RequestRights;
import java.nio.charset.StandardCharsets;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** gRPC service of certificates. */
public final class CertificateService extends CertificatesGrpc.CertificatesImplBase {
    /** Certificate of the call's caller, for an interceptor that has verified it. */
    public static final Context.Key<X509Certificate> CERTIFICATE = Context.key("uniserve-certificate");

    private static final Logger LOG = LoggerFactory.getLogger(CertificateService.class);
    private static final Right DESCRIBE =
            RequestRights.ofMethod(CertificatesGrpc.getDescribeMethod().getFullMethodName());
    private static final Right RENEW =
            RequestRights.ofMethod(CertificatesGrpc.getRenewMethod().getFullMethodName());

    private final ClusterIdentity cluster;
    private final AccessControl access;
    private final CertificateHandler handler;

    /** Creates the service of a process. */
    public CertificateService(ClusterIdentity cluster, AccessControl access, CertificateHandler handler) {
        this.cluster = cluster;
        this.access = access;
        this.handler = handler;
    }

    @Override
    public void describe(
            CertificatesProto.DescribeCertificateCall call,
            StreamObserver<CertificatesProto.CertificateStatus> observer) {
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            access.current().check(DESCRIBE, Optional.empty());
            observer.onNext(CertificateMapping.toProto(handler.describe()));
            observer.onCompleted();
        } catch (RuntimeException e) {
            observer.onError(StatusMapping.toStatus(e));
        }
    }

    @Override
    public void renew(CertificatesProto.RenewCall call, StreamObserver<CertificatesProto.RenewReply> observer) {
        Completion<String> answer = outcome -> {
            if (outcome instanceof Outcome.Ok<String> ok) {
                observer.onNext(CertificatesProto.RenewReply.newBuilder()
                        .setChain(ok.value())
                        .build());
                observer.onCompleted();
            } else {
                observer.onError(StatusMapping.toStatus(outcome.error()));
            }
        };
        try {
            MalformedMessageGuard.refuse(call);
            cluster.checkName(call.getCluster());
            Caller caller = access.current();
            Optional<X509Certificate> current = Optional.ofNullable(CERTIFICATE.get());
            X509Certificate renewable = checkRenewable(caller, current);
            PublicKey key = CertificateMapping.publicKey(call.getPublicKey().toByteArray());
            handler.renew(renewable, key, signed -> release(caller, renewable, signed, answer));
        } catch (RuntimeException e) {
            observer.onError(StatusMapping.toStatus(e));
        }
    }

    /** The caller's certificate, if it may be renewed. Writes the refusal of a caller. */
    private X509Certificate checkRenewable(Caller caller, Optional<X509Certificate> current) {
        if (access.isOpen()) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "certificates are renewed in mode closed only: use those of uniserve security issue");
        }
        caller.check(RENEW, Optional.empty());
        if (!access.knowsRules()) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "this process has not read the rules and revocations, node /access in ZooKeeper: try again");
        }
        try {
            X509Certificate renewable = handler.checkRenewable(current);
            if (!caller.hasRole()) {
                throw new UniserveException(
                        ErrorCode.UNAUTHORIZED,
                        "user " + caller.user()
                                + " has no role, so its certificate is not renewed: use uniserve grant");
            }
            return renewable;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.UNAUTHORIZED) {
                caller.refused(subject(current), e.reason());
            }
            throw e;
        }
    }

    private static String subject(Optional<X509Certificate> certificate) {
        return certificate.map(CertificateSubject::of).map(Object::toString).orElse("");
    }

    /** Writes the new certificate to the audit log, then answers with it: one that is not in the log is not given out. */
    private static void release(
            Caller caller, X509Certificate current, Outcome<String> signed, Completion<String> answer) {
        if (signed instanceof Outcome.Err<String> failed) {
            LOG.warn("the certificate {} cannot be renewed", subject(Optional.of(current)), failed.error());
            answer.done(signed);
            return;
        }
        String chain = ((Outcome.Ok<String>) signed).value();
        String object;
        try {
            object = subject(Optional.of(current)) + " as " + CertificateSubject.fingerprint(leaf(chain));
        } catch (CertificateException e) {
            LOG.error("the authority signed what is no certificate", e);
            answer.done(Outcome.err(new UniserveException(
                    ErrorCode.INTERNAL, "the authority signed what is no certificate: see the log", e)));
            return;
        }
        caller.audited(object, answer, done -> {
            LOG.info("a certificate is renewed: {}", object);
            done.done(signed);
        });
    }

    private static X509Certificate leaf(String chain) throws CertificateException {
        return PemCertificates.parse(chain.getBytes(StandardCharsets.US_ASCII)).get(0);
    }
}
