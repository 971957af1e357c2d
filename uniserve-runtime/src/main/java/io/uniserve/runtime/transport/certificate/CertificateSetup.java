package io.uniserve.runtime.transport.certificate;

import io.uniserve.runtime.security.CertificateRenewer;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.transport.access.AccessControl;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Connections between the certificates of a process and its other parts, the same in servers and coordinators. */
public final class CertificateSetup {
    /** Receives a metric of the process. */
    @FunctionalInterface
    public interface Gauges {
        /** Adds a metric. */
        void add(String name, String description, Supplier<Number> value);
    }

    private CertificateSetup() {}

    /**
     * Makes the process refuse revoked certificates of others.
     *
     * @param replaceConnections replaces the connections to others, so that they are verified again
     */
    public static void followRevocations(ReloadingTls tls, AccessControl access, Runnable replaceConnections) {
        tls.setRevoked(subject -> access.revocation(subject).isPresent());
        AtomicReference<Set<String>> seen = new AtomicReference<>(Set.of());
        Runnable unused = access.onChange(() -> {
            Set<String> now = access.revocations();
            if (!now.equals(seen.getAndSet(now))) {
                replaceConnections.run();
            }
        });
    }

    /** Adds the metrics of the certificate to those that start with the prefix; none without TLS. */
    public static void addGauges(String prefix, ReloadingTls tls, CertificateRenewer renewer, Gauges gauges) {
        if (!tls.files().enabled()) {
            return;
        }
        gauges.add(
                prefix + ".tls.days.left",
                "Whole days until the certificate ends",
                () -> tls.daysLeft().orElse(0L));
        gauges.add(prefix + ".tls.reloads", "Changes of the TLS files that are in use", tls::reloads);
        gauges.add(prefix + ".tls.reload.failures", "Changes of the TLS files that cannot be used", tls::failures);
        gauges.add(prefix + ".tls.renewal.failures", "Failed renewals of the certificate", renewer::failures);
    }
}
