package io.uniserve.runtime.transport.server;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.StatusRuntimeException;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import io.uniserve.runtime.transport.login.BearerToken;
import io.uniserve.runtime.transport.login.LoginTokens;
import io.uniserve.runtime.transport.login.LoginTokens.Login;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

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
                        connection.address(), Optional.of(user.identity().principal()), Optional.of(user.identity())))
                .orElse(connection);
        if (authorizer.allows(caller, method)) {
            return Contexts.interceptCall(context(caller, login, method), call, headers, next);
        }
        String why = authorizer.reason(caller, method);
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
