package io.uniserve.runtime.transport.server;

import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.ServerTransportFilter;
import io.uniserve.runtime.security.CertificateSubject;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.transport.access.AuditRecorder;
import io.uniserve.runtime.transport.connection.ConnectionTracker;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/** Finds the caller of each new connection once, and writes it to the audit log. */
final class CallerFilter extends ServerTransportFilter {
    /** Caller of a connection. */
    static final Attributes.Key<CallerIdentity> CALLER = Attributes.Key.create("uniserve-caller");

    private final AuditRecorder audit;
    private final boolean open;

    /** @param open true in mode open */
    CallerFilter(AuditRecorder audit, boolean open) {
        this.audit = audit;
        this.open = open;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        CallerIdentity caller = caller(attributes);
        String principal = caller.certified()
                .map(CertifiedIdentity::principal)
                .orElse(caller.principal().orElse(""));
        if (!principal.isEmpty() || open) { // a login with a password has a line of its own
            audit.login(principal, caller.address());
        }
        return attributes.toBuilder().set(CALLER, caller).build();
    }

    static CallerIdentity caller(Attributes attributes) {
        List<X509Certificate> chain = attributes.get(ConnectionTracker.CHAIN);
        Optional<X509Certificate> leaf =
                chain == null ? Optional.empty() : chain.stream().findFirst();
        return new CallerIdentity(
                String.valueOf(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)),
                leaf.map(one -> one.getSubjectX500Principal().getName()),
                leaf.map(CertificateSubject::of));
    }
}
