package io.uniserve.runtime.registry.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.PemCertificates;
import io.uniserve.runtime.security.PemPrivateKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/**
 * Key store and trust store in memory, from files in PEM.
 *
 * @param identity certificate chain and key
 * @param trust certificates of authorities; empty for those of the JDK
 * @param password password of the key
 */
record PemKeyStores(Optional<KeyStore> identity, Optional<KeyStore> trust, String password) {
    private static final String TYPE = "PKCS12";

    /**
     * Reads the files.
     *
     * @param password password of the stores, not empty
     * @throws UniserveException INVALID_CONFIGURATION if a file is missing or wrong, or the key is not that of the certificate
     */
    static PemKeyStores read(ZooKeeperTls tls, String password) {
        if (tls.certificate().isPresent() != tls.key().isPresent()) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    tls.section() + ": certificate-file and key-file belong together: set both, or neither");
        }
        try {
            Optional<KeyStore> identity = tls.certificate().isEmpty()
                    ? Optional.empty()
                    : Optional.of(identity(
                            tls.section(), tls.certificate().get(), tls.key().orElseThrow(), password));
            Optional<KeyStore> trust = tls.trust().isEmpty()
                    ? Optional.empty()
                    : Optional.of(trust(tls.section(), tls.trust().get()));
            return new PemKeyStores(identity, trust, password);
        } catch (IOException | GeneralSecurityException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    tls.section() + ": the files cannot be used: " + e.getMessage(),
                    e);
        }
    }

    private static KeyStore identity(String section, Path certificate, Path key, String password)
            throws IOException, GeneralSecurityException {
        List<X509Certificate> chain = PemCertificates.read(section + ".certificate-file", certificate);
        PrivateKey secret = PemPrivateKeys.readKeyOf(chain.get(0), certificate, section + ".key-file", key);
        KeyStore store = empty();
        store.setKeyEntry("key", secret, password.toCharArray(), chain.toArray(X509Certificate[]::new));
        return store;
    }

    private static KeyStore trust(String section, Path file) throws IOException, GeneralSecurityException {
        KeyStore store = empty();
        for (X509Certificate certificate : PemCertificates.read(section + ".trust-file", file)) {
            store.setCertificateEntry(Integer.toString(store.size()), certificate);
        }
        return store;
    }

    private static KeyStore empty() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(TYPE);
        store.load(null, null);
        return store;
    }

    /** Key managers with the identity; none without one. */
    Optional<KeyManagerFactory> keyManagers() throws GeneralSecurityException {
        if (identity.isEmpty()) {
            return Optional.empty();
        }
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(identity.get(), password.toCharArray());
        return Optional.of(factory);
    }

    /** Trust managers with the authorities. */
    TrustManagerFactory trustManagers() throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(trust.orElse(null));
        return factory;
    }
}
