package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trust manager of a process that connects to servers and coordinators. The authorities must cover every certificate. One with the identity
 * of a server of the cluster is accepted under any host name; one without an identity only under the host name of the connection, as HTTPS
 * does. One with the identity of a user or of another cluster is rejected. Thread-safe.
 *
 * <p>Host names are left out because the identity is stronger: an authority of a cluster signs it for the processes of that cluster only, and
 * authorities of the public sign no such identity.
 */
public final class PeerTrustManager extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager authorities;
    private final Supplier<String> cluster;

    /**
     * Creates a trust manager.
     *
     * @param authorities validates chains, and host names if it gets the connection
     * @param cluster name of the cluster, empty while unknown; then servers of any cluster are accepted that the authorities cover
     */
    PeerTrustManager(X509ExtendedTrustManager authorities, Supplier<String> cluster) {
        this.authorities = authorities;
        this.cluster = cluster;
    }

    /**
     * Reads the authorities from a PEM file.
     *
     * @param cluster name of the cluster, empty while unknown
     * @throws UniserveException INVALID_CONFIGURATION if the file cannot be read or has no certificate
     */
    public static PeerTrustManager of(Path file, Supplier<String> cluster) {
        List<X509Certificate> certificates = PemCertificates.read("tls.trust", file);
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (X509Certificate certificate : certificates) {
                store.setCertificateEntry(Integer.toString(store.size()), certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return new PeerTrustManager(extended(factory.getTrustManagers()), cluster);
        } catch (IOException | GeneralSecurityException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "tls.trust: file " + file + " cannot be used: " + e.getMessage()
                            + "; give certificates of authorities",
                    e);
        }
    }

    private static X509ExtendedTrustManager extended(TrustManager[] managers) {
        return Arrays.stream(managers)
                .filter(X509ExtendedTrustManager.class::isInstance)
                .map(X509ExtendedTrustManager.class::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the JDK's PKIX trust manager is no extended one"));
    }

    /** True if the certificate has the identity of a server of the cluster. */
    private boolean isServer(X509Certificate[] chain) throws CertificateException {
        Optional<CertifiedIdentity> found = chain.length == 0 ? Optional.empty() : CertifiedIdentity.of(chain[0]);
        if (found.isEmpty()) {
            return false;
        }
        CertifiedIdentity identity = found.get();
        if (identity.kind() != CertifiedIdentity.Kind.SERVER) {
            throw new CertificateException(
                    "the certificate of the other side is that of " + identity + ", not of a server");
        }
        String known = cluster.get();
        if (!known.isEmpty() && !known.equals(identity.cluster())) {
            throw new CertificateException("the certificate of the other side is that of " + identity
                    + ", this process belongs to cluster " + known + ": check the addresses");
        }
        return true;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        if (isServer(chain)) {
            authorities.checkServerTrusted(chain, authType);
        } else {
            authorities.checkServerTrusted(chain, authType, engine);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        if (isServer(chain)) {
            authorities.checkServerTrusted(chain, authType);
        } else {
            authorities.checkServerTrusted(chain, authType, socket);
        }
    }

    /** Without the connection there is no host name to compare, so only the identity of a server counts. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        if (!isServer(chain)) {
            throw new CertificateException("the certificate of the other side has no identity of a server");
        }
        authorities.checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        authorities.checkClientTrusted(chain, authType, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        authorities.checkClientTrusted(chain, authType, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        authorities.checkClientTrusted(chain, authType);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return authorities.getAcceptedIssuers();
    }
}
