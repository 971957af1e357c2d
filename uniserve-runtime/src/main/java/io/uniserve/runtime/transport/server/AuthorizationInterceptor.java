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
import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.certificate.CertificateService;
import io.uniserve.runtime.transport.connection.ConnectionTracker;
import io.uniserve.runtime.transport.login.BearerToken;
import io.uniserve.runtime.transport.login.LoginTokens;
import io.uniserve.runtime.transport.login.LoginTokens.Login;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * Interceptor that finds the caller of each call by its certificate or token, and checks it with the authorizer. The handler finds the
 * caller in its context.
 */
final class AuthorizationInterceptor implements ServerInterceptor {
    private final Authorizer authorizer;
    private final AccessControl access;
    private final Optional<LoginTokens> tokens;

    /** @param tokens tokens of users that logged in; empty if no user can */
    AuthorizationInterceptor(Authorizer authorizer, AccessControl access, Optional<LoginTokens> tokens) {
        this.authorizer = authorizer;
        this.access = access;
        this.tokens = tokens;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        CallerIdentity connection = caller(call.getAttributes());
        Optional<Login> login;
        try {
            Optional<String> token = token(connection, method, headers);
            login = token.flatMap(text -> tokens.flatMap(known -> known.verify(text)));
            if (token.isPresent() && login.isEmpty()) {
                return close(call, LoginTokens.ended(), true);
            }
        } catch (UniserveException e) {
            return refuse(call, connection, method, e.reason(), e);
        }
        CallerIdentity caller = login.map(user -> new CallerIdentity(
                        connection.address(),
                        Optional.of(user.identity().principal()),
                        Optional.of(CertificateSubject.of(user.identity()))))
                .orElse(connection);
        Optional<String> revoked = caller.certificate().flatMap(access::revocation);
        if (revoked.isEmpty() && authorizer.allows(caller, method)) {
            Context context = context(caller, login, method);
            List<X509Certificate> chain = call.getAttributes().get(ConnectionTracker.CHAIN);
            return Contexts.interceptCall(
                    chain == null ? context : context.withValue(CertificateService.CERTIFICATE, chain.get(0)),
                    call,
                    headers,
                    next);
        }
        String why = revoked.orElseGet(() -> authorizer.reason(caller, method));
        return refuse(
                call,
                caller,
                method,
                why,
                new UniserveException(
                        ErrorCode.UNAUTHORIZED,
                        caller.principal().orElse(caller.address()) + " may not call " + method
                                + (why.isEmpty() ? "" : ": " + why)));
    }

    private Context context(CallerIdentity caller, Optional<Login> login, String method) {
        return login.map(user -> access.with(user.identity(), user.credential(), caller.address(), method))
                .orElseGet(() -> access.with(caller.certified(), caller.address(), method));
    }

    /** The token of the call. Tokens are ignored by the login itself, and in mode open. */
    private Optional<String> token(CallerIdentity connection, String method, Metadata headers) {
        if (tokens.isEmpty() || MethodCallers.of(method) == Callers.ANYONE) {
            return Optional.empty();
        }
        Optional<String> token = BearerToken.of(headers);
        if (token.isPresent() && connection.principal().isPresent()) {
            throw new UniserveException(
                    ErrorCode.UNAUTHORIZED,
                    "the call has the token of a login, and its connection a certificate: use one of both");
        }
        return token;
    }

    private <Q, R> ServerCall.Listener<Q> refuse(
            ServerCall<Q, R> call, CallerIdentity caller, String method, String why, UniserveException error) {
        access.audit()
                .refused(
                        caller.certified()
                                .map(CertifiedIdentity::principal)
                                .orElse(caller.principal().orElse("")),
                        caller.address(),
                        method,
                        "",
                        why);
        return close(call, error, false);
    }

    /** @param loginEnded true if the caller must log in again */
    private static <Q, R> ServerCall.Listener<Q> close(
            ServerCall<Q, R> call, UniserveException error, boolean loginEnded) {
        StatusRuntimeException refused = StatusMapping.toStatus(error);
        Metadata known = refused.getTrailers();
        Metadata trailers = known == null ? new Metadata() : known;
        if (loginEnded) {
            BearerToken.setEnded(trailers);
        }
        call.close(refused.getStatus(), trailers);
        return new ServerCall.Listener<>() {};
    }

    private static CallerIdentity caller(Attributes attributes) {
        CallerIdentity known = attributes.get(CallerFilter.CALLER);
        return known == null ? CallerFilter.caller(attributes) : known;
    }
}
