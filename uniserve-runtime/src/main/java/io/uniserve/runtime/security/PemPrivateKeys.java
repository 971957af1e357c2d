package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reader of files with a private key in PEM. */
public final class PemPrivateKeys {
    private static final Logger LOG = LoggerFactory.getLogger(PemPrivateKeys.class);
    private static final List<String> KINDS = List.of("EC", "RSA");
    private static final String REMEDY = "; give a private key in PEM, PKCS#8, without a password";
    private static final byte[] PROBE = "uniserve".getBytes(StandardCharsets.US_ASCII);

    private PemPrivateKeys() {}

    /**
     * Reads the key of a file: PKCS#8 without a password, of kind EC or RSA.
     *
     * @param setting the setting that names the file, for errors
     * @throws UniserveException INVALID_CONFIGURATION if the file cannot be read, is too large or has no such key
     */
    public static PrivateKey read(String setting, Path file) {
        PemBlocks.requireReadable(setting, file);
        try {
            PKCS8EncodedKeySpec encoded = new PKCS8EncodedKeySpec(PemBlocks.read(PemBlocks.KEY, file));
            for (String kind : KINDS) {
                try {
                    return KeyFactory.getInstance(kind).generatePrivate(encoded);
                } catch (InvalidKeySpecException e) {
                    LOG.trace("{} is no key of kind {}", file, kind, e);
                }
            }
            throw refused(setting, file, "it is no key of kind " + String.join(" or ", KINDS) + REMEDY, null);
        } catch (IOException | GeneralSecurityException e) {
            throw refused(setting, file, e.getMessage() + REMEDY, e);
        }
    }

    /**
     * Reads the key of a file, and checks that it is that of a certificate.
     *
     * @param certificateFile file of the certificate, for errors
     * @throws UniserveException INVALID_CONFIGURATION, as {@link #read}, or if it is another key
     */
    public static PrivateKey readKeyOf(X509Certificate certificate, Path certificateFile, String setting, Path file) {
        PrivateKey key = read(setting, file);
        if (!isKeyOf(certificate, key)) {
            throw refused(
                    setting,
                    file,
                    "it is not the key of the certificate in " + certificateFile + ": give both of one issue",
                    null);
        }
        return key;
    }

    private static UniserveException refused(String setting, Path file, String why, @Nullable Exception cause) {
        return new UniserveException(
                ErrorCode.INVALID_CONFIGURATION, setting + ": file " + file + " cannot be used: " + why, cause);
    }

    /** True if what the key signs is valid by the certificate. */
    static boolean isKeyOf(X509Certificate certificate, PrivateKey key) {
        String algorithm = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256with" + key.getAlgorithm();
        try {
            Signature signing = Signature.getInstance(algorithm);
            signing.initSign(key);
            signing.update(PROBE);
            byte[] signature = signing.sign();
            signing.initVerify(certificate.getPublicKey());
            signing.update(PROBE);
            return signing.verify(signature);
        } catch (GeneralSecurityException e) {
            return false; // keys of different kinds
        }
    }
}
