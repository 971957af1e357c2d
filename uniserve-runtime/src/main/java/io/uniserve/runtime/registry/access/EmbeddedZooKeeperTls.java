package io.uniserve.runtime.registry.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.net.ssl.X509KeyManager;
import javax.net.ssl.X509TrustManager;
import org.apache.zookeeper.server.NettyServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.auth.ProviderRegistry;

/**
 * TLS of embedded ZooKeeper servers. ZooKeeper's server has process-wide settings only, so all servers with TLS of a process have the same
 * certificate, that of the last {@link #use}. Its clients are not concerned. Thread-safe.
 */
public final class EmbeddedZooKeeperTls {
    private static final String SECTION = "uniserve.zookeeper.embedded.tls";
    private static final String SCHEME = "x509";
    private static final String PROVIDER = ProviderRegistry.AUTHPROVIDER_PROPERTY_PREFIX + SCHEME;
    private static final String SSL_PROVIDER = "zookeeper.ssl.authProvider";

    private EmbeddedZooKeeperTls() {}

    /**
     * Reads the files, and uses them for connections from now on.
     *
     * @throws UniserveException INVALID_CONFIGURATION if one cannot be used
     */
    public static synchronized void use(TlsFiles files) {
        PemKeyStores stores = PemKeyStores.read(
                new ZooKeeperTls(SECTION, files.certificate(), files.key(), files.trust(), false), "memory");
        try {
            X509KeyManager key = first(
                    stores.keyManagers()
                            .orElseThrow(() -> new GeneralSecurityException("certificate-file is not set"))
                            .getKeyManagers(),
                    X509KeyManager.class);
            X509TrustManager trust = first(stores.trustManagers().getTrustManagers(), X509TrustManager.class);
            EmbeddedServerAuthentication.use(new EmbeddedServerAuthentication.Managers(key, trust));
            System.setProperty(PROVIDER, EmbeddedServerAuthentication.class.getName());
            System.setProperty(SSL_PROVIDER, SCHEME);
            ProviderRegistry.addOrUpdateProvider(PROVIDER);
        } catch (GeneralSecurityException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, SECTION + ": the files cannot be used: " + e.getMessage(), e);
        }
    }

    /** Creates a connection factory that can serve TLS. Other factories of the process stay plain. */
    public static synchronized ServerCnxnFactory createFactory() throws IOException {
        String before = System.getProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
        System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, NettyServerCnxnFactory.class.getName());
        try {
            return ServerCnxnFactory.createFactory();
        } finally {
            if (before == null) {
                System.clearProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY);
            } else {
                System.setProperty(ServerCnxnFactory.ZOOKEEPER_SERVER_CNXN_FACTORY, before);
            }
        }
    }

    private static <M> M first(Object[] managers, Class<M> kind) {
        return Arrays.stream(managers)
                .filter(kind::isInstance)
                .map(kind::cast)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("the JDK has no " + kind));
    }
}
