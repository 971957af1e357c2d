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
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.access.RequestRights;
import java.security.PublicKey;
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
            if (access.isOpen()) {
                throw new UniserveException(
                        ErrorCode.UNAUTHORIZED, "certificates are renewed in mode closed only: in mode open anyone calls");
            }
            access.current().check(RENEW, Optional.empty());
            if (!access.knowsRules()) {
                throw new UniserveException(
                        ErrorCode.UNAVAILABLE,
                        "this process has not read the rules and revocations, node /access in ZooKeeper: try again");
            }
            PublicKey key = CertificateMapping.publicKey(call.getPublicKey().toByteArray());
            Optional<X509Certificate> current = Optional.ofNullable(CERTIFICATE.get());
            String subject =
                    current.map(CertificateSubject::of).map(Object::toString).orElse("");
            X509Certificate renewable = checkRenewable(current, subject);
            access.current().audited(subject, answer, done -> {
                done.done(Outcome.ok(handler.renew(renewable, key)));
                LOG.info("the certificate {} is renewed", subject);
            });
        } catch (RuntimeException e) {
            observer.onError(StatusMapping.toStatus(e));
        }
    }

    private X509Certificate checkRenewable(Optional<X509Certificate> current, String subject) {
        try {
            return handler.checkRenewable(current);
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.UNAUTHORIZED) {
                access.current().refused(subject, e.reason());
            }
            throw e;
        }
    }
}
