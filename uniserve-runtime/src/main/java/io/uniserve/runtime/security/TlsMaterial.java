package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Certificate chain and key of a process, with the authorities that it trusts, as they were in their files at one time. Immutable.
 *
 * @param identity chain and key; empty for a client without a certificate
 * @param authorities trust manager of the authorities, those of the JDK without a trust file
 */
record TlsMaterial(TlsFiles files, Optional<Identity> identity, X509ExtendedTrustManager authorities) {
    private static final String CERTIFICATE_FILE = "tls.certificate-file";
    private static final String KEY_FILE = "tls.key-file";
    private static final KeyStore NO_AUTHORITY = keyStore(List.of());

    /** Certificate chain, leaf first, and the key of the leaf. */
    record Identity(List<X509Certificate> chain, PrivateKey key) {
        Identity {
            chain = List.copyOf(chain);
        }

        X509Certificate leaf() {
            return chain.get(0);
        }
    }

    /**
     * Reads the files, and checks that the key is that of the certificate.
     *
     * @throws UniserveException INVALID_CONFIGURATION with the file and the reason
     */
    static TlsMaterial read(TlsFiles files) {
        if (!files.enabled()) {
            return new TlsMaterial(files, Optional.empty(), authorities(NO_AUTHORITY));
        }
        return new TlsMaterial(
                files,
                files.certificate().map(certificate -> identity(certificate, files.key())),
                authorities(files.trust().map(TlsMaterial::keyStore).orElse(null)));
    }

    private static Identity identity(Path certificate, Optional<Path> keySetting) {
        List<X509Certificate> chain = PemCertificates.read(CERTIFICATE_FILE, certificate);
        Path keyFile = keySetting.orElseThrow(() -> new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "tls.key-file is not set, and tls.certificate-file is: set it to the key of the certificate"));
        return new Identity(chain, PemPrivateKeys.readKeyOf(chain.get(0), certificate, KEY_FILE, keyFile));
    }

    /**
     * This material with another certificate and key.
     *
     * @throws UniserveException INVALID_ARGUMENT if the chain is no PEM, or the key is not that of its certificate
     */
    TlsMaterial with(String chain, PrivateKey key) {
        try {
            List<X509Certificate> certificates = PemCertificates.parse(chain.getBytes(StandardCharsets.US_ASCII));
            if (!PemPrivateKeys.isKeyOf(certificates.get(0), key)) {
                throw UniserveException.invalid("the new key is not that of the new certificate");
            }
            return new TlsMaterial(files, Optional.of(new Identity(certificates, key)), authorities);
        } catch (CertificateException e) {
            throw UniserveException.invalid("the new certificate cannot be read: " + e.getMessage());
        }
    }

    /** True if both files can be read, and the key is that of the certificate. */
    static boolean fits(Path certificate, Path key) {
        try {
            return PemPrivateKeys.isKeyOf(
                    PemCertificates.read(CERTIFICATE_FILE, certificate).get(0), PemPrivateKeys.read(KEY_FILE, key));
        } catch (UniserveException e) {
            return false; // the reader of the material reports it
        }
    }

    /** The JDK's trust manager of these authorities; of those of the JDK for null. */
    private static X509ExtendedTrustManager authorities(@Nullable KeyStore store) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(store);
            return Arrays.stream(factory.getTrustManagers())
                    .filter(X509ExtendedTrustManager.class::isInstance)
                    .map(X509ExtendedTrustManager.class::cast)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("the JDK's PKIX trust manager is no extended one"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK cannot validate certificates", e);
        }
    }

    private static KeyStore keyStore(Path file) {
        return keyStore(PemCertificates.read("tls.trust-file", file));
    }

    private static KeyStore keyStore(List<X509Certificate> certificates) {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (X509Certificate certificate : certificates) {
                store.setCertificateEntry(Integer.toString(store.size()), certificate);
            }
            return store;
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException("the JDK has no store of certificates in memory", e);
        }
    }

    /**
     * Checks that others can accept the certificate: it is valid now, and if it has an identity of a cluster, an authority of the trust file
     * covers it.
     *
     * @throws UniserveException INVALID_CONFIGURATION with the file and the reason
     */
    void checkUsable(long wallMillis) {
        if (identity.isEmpty()) {
            return;
        }
        Path file = files.certificate().orElseThrow();
        X509Certificate leaf = identity.get().leaf();
        try {
            leaf.checkValidity(new Date(wallMillis));
            if (CertifiedIdentity.of(leaf).isPresent()) {
                authorities.checkClientTrusted(
                        identity.get().chain().toArray(X509Certificate[]::new),
                        leaf.getPublicKey().getAlgorithm());
            }
        } catch (CertificateException e) {
            throw refused(
                    CERTIFICATE_FILE,
                    file,
                    "it is not valid now, or no authority of tls.trust-file covers it: " + e.getMessage()
                            + "; if it has ended, issue it anew by uniserve security issue");
        }
    }

    /** True if the chain and the key, and the authorities, are those of the other. */
    boolean isSame(TlsMaterial other) {
        return identity.equals(other.identity)
                && Arrays.equals(authorities.getAcceptedIssuers(), other.authorities.getAcceptedIssuers());
    }

    private static UniserveException refused(String key, Path file, String why) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION, key + ": file " + file + " cannot be used: " + why);
    }
}
