package io.uniserve.runtime.transport.server;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
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
import io.uniserve.runtime.transport.certificate.CertificateService;
import io.uniserve.runtime.transport.connection.ConnectionTracker;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

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
        Optional<String> revoked = callerIdentity.certificate().flatMap(access::revocation);
        if (revoked.isEmpty() && authorizer.allows(callerIdentity, method)) {
            Context context = access.with(callerIdentity.certified(), callerIdentity.address(), method);
            List<X509Certificate> chain = call.getAttributes().get(ConnectionTracker.CHAIN);
            return Contexts.interceptCall(
                    chain == null ? context : context.withValue(CertificateService.CERTIFICATE, chain.get(0)),
                    call,
                    headers,
                    next);
        }
        String why = revoked.orElseGet(() -> authorizer.reason(callerIdentity, method));
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

    private static CallerIdentity caller(Attributes attributes) {
        CallerIdentity known = attributes.get(CallerFilter.CALLER);
        return known == null ? CallerFilter.caller(attributes) : known;
    }
}
