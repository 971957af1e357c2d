package io.uniserve.runtime.transport.server;

import io.grpc.Attributes;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Interceptor that checks each call with the authorizer before its handler, which then finds the caller in its context. */
final class AuthorizationInterceptor implements ServerInterceptor {
    private final Authorizer authorizer;
    private final AccessControl access;

    AuthorizationInterceptor(Authorizer authorizer, AccessControl access) {
        this.authorizer = authorizer;
        this.access = access;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        CallerIdentity callerIdentity = caller(call.getAttributes());
        if (authorizer.allows(callerIdentity, method)) {
            return Contexts.interceptCall(
                    access.with(callerIdentity.certified(), callerIdentity.address(), method), call, headers, next);
        }
        String why = authorizer.reason(callerIdentity, method);
        access.audit()
                .refused(
                        callerIdentity
                                .certified()
                                .map(CertifiedIdentity::principal)
                                .orElse(callerIdentity.principal().orElse("")),
                        callerIdentity.address(),
                        method,
                        "",
                        why);
        StatusRuntimeException refused = StatusMapping.toStatus(new UniserveException(
                ErrorCode.UNAUTHORIZED,
                callerIdentity.principal().orElse(callerIdentity.address()) + " may not call " + method
                        + (why.isEmpty() ? "" : ": " + why)));
        Metadata trailers = refused.getTrailers();
        call.close(refused.getStatus(), trailers == null ? new Metadata() : trailers);
        return new ServerCall.Listener<>() {};
    }

    static CallerIdentity caller(Attributes attributes) {
        SSLSession session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        return new CallerIdentity(
                String.valueOf(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
                principal(session),
                certificate(session).flatMap(CertifiedIdentity::of));
    }

    private static Optional<String> principal(@Nullable SSLSession session) {
        if (session == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(session.getPeerPrincipal().getName());
        } catch (SSLPeerUnverifiedException e) {
            // No client certificate: TLS permits this unless one is required.
            return Optional.empty();
        }
    }

    private static Optional<X509Certificate> certificate(@Nullable SSLSession session) {
        if (session == null) {
            return Optional.empty();
        }
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate leaf ? Optional.of(leaf) : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            // No client certificate: TLS permits this unless one is required.
            return Optional.empty();
        }
    }
}
