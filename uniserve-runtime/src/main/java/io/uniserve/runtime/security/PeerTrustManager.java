package io.uniserve.runtime.security;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trust manager of a process that connects to servers and coordinators. The authorities must cover every certificate. One with the identity
 * of a server of the cluster is accepted under any host name; one without an identity only under the host name of the connection, as HTTPS
 * does. One with the identity of a user, of ZooKeeper or of another cluster is rejected. Thread-safe.
 *
 * <p>Host names are left out because the identity is stronger: an authority of a cluster signs it for the processes of that cluster only, and
 * authorities of the public sign no such identity.
 */
public final class PeerTrustManager extends ReloadingTrustManager {
    private final Supplier<String> cluster;
    private final Predicate<X509Certificate> revoked;

    /**
     * Creates a trust manager.
     *
     * @param authorities validates chains, and host names if it gets the connection
     * @param cluster name of the cluster, empty while unknown; then servers of any cluster are accepted that the authorities cover
     * @param revoked true for a certificate that is not accepted any more
     */
    public PeerTrustManager(
            X509ExtendedTrustManager authorities, Supplier<String> cluster, Predicate<X509Certificate> revoked) {
        super(() -> authorities);
        this.cluster = cluster;
        this.revoked = revoked;
    }

    /** True if the certificate has the identity of a server of the cluster. */
    private boolean isServer(X509Certificate[] chain) throws CertificateException {
        Optional<CertifiedIdentity> found = chain.length == 0 ? Optional.empty() : CertifiedIdentity.of(chain[0]);
        if (chain.length > 0 && revoked.test(chain[0])) {
            throw new CertificateException("the certificate of the other side is revoked: "
                    + found.map(CertifiedIdentity::toString).orElse("it has no identity"));
        }
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
            super.checkServerTrusted(chain, authType);
        } else {
            super.checkServerTrusted(chain, authType, engine);
        }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        if (isServer(chain)) {
            super.checkServerTrusted(chain, authType);
        } else {
            super.checkServerTrusted(chain, authType, socket);
        }
    }

    /** Without the connection there is no host name to compare, so only the identity of a server counts. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        if (!isServer(chain)) {
            throw new CertificateException("the certificate of the other side has no identity of a server");
        }
        super.checkServerTrusted(chain, authType);
    }
}
