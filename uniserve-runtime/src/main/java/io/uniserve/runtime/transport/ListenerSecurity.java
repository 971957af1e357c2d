package io.uniserve.runtime.transport;

import io.grpc.ServerCredentials;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.config.ListenerKind;
import io.uniserve.runtime.config.MetricsSettings;
import io.uniserve.runtime.config.Settings;
import io.uniserve.runtime.security.CertifiedIdentity;
import io.uniserve.runtime.security.ReloadingTls;
import io.uniserve.runtime.time.SystemClock;
import io.uniserve.runtime.tls.TlsFiles;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Check of a process that is about to listen, before it opens a port, a connection or a directory. */
public final class ListenerSecurity {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerSecurity.class);

    private ListenerSecurity() {}

    /**
     * Checks the mode and the files that it needs, and warns if everyone who can connect may do everything, or read the metrics.
     *
     * @throws UniserveException INVALID_CONFIGURATION, with the setting and the remedy
     */
    public static void check(Settings settings, ListenerKind kind) {
        checkFiles(settings, kind);
        if (settings.isOpenToNetwork(kind)) {
            LOG.warn(
                    "uniserve.security.mode = open on {}: everyone who can connect may do everything",
                    settings.host(kind));
        }
        MetricsSettings metrics = settings.metrics(kind);
        if (metrics.isOpenToNetwork()) {
            LOG.warn(
                    "uniserve.metrics.prometheus on {}: everyone who can connect may read the metrics{}",
                    metrics.host(),
                    settings.security(kind).closed() ? "; access = monitor with tls = true limits them to users" : "");
        }
    }

    /** Checks the mode and the files that it needs. Fails as {@link #check}. */
    public static void checkFiles(Settings settings, ListenerKind kind) {
        TlsFiles files = settings.serverTls(kind);
        ReloadingTls tls = ReloadingTls.read(files, SystemClock.INSTANCE);
        ServerCredentials unused = TlsCredentials.server(tls, false);
        tls.checkUsable();
        if (settings.security(kind).closed()) {
            requireServer(files.certificate(), tls.leaf(), settings.zookeeper().cluster());
        }
    }

    /** In mode closed others accept only a server of their cluster. */
    private static void requireServer(Optional<Path> file, Optional<X509Certificate> leaf, String cluster) {
        String key = "uniserve.tls.certificate-file";
        Optional<CertifiedIdentity> found = leaf.flatMap(CertifiedIdentity::of);
        if (found.filter(identity -> identity.kind() == CertifiedIdentity.Kind.SERVER
                        && identity.cluster().equals(cluster))
                .isEmpty()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    key + ": file " + file.map(Path::toString).orElse("") + " has "
                            + found.map(identity -> "the identity " + identity).orElse("no identity")
                            + ", and uniserve.security.mode closed needs that of a server of uniserve.cluster = "
                            + cluster
                            + ": make it by uniserve security issue server NAME, with the authority of that cluster");
        }
    }
}
