package io.uniserve.security;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.security.PemBlocks;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import org.bouncycastle.cert.X509CertificateHolder;

/** Files of certificates and keys in PEM. A file is written whole or not at all. */
final class PemFileFormat {
    private static final String CERTIFICATE = "CERTIFICATE";

    private PemFileFormat() {}

    /** @throws UniserveException INVALID_ARGUMENT if one of the files is there: it would be lost */
    static void requireAbsent(Path... files) {
        for (Path file : files) {
            if (Files.exists(file)) {
                throw UniserveException.invalid("file " + file + " exists: use another folder, or move it away");
            }
        }
    }

    /** Writes the key, readable by its owner only. */
    static void writeKey(Path file, PrivateKey key) throws IOException {
        PemBlocks.writeKey(file, key.getEncoded());
    }

    static void writeCertificates(Path file, X509CertificateHolder... chain) throws IOException {
        PemBlocks.writeCertificates(file, encode(chain));
    }

    static String encode(X509CertificateHolder... chain) throws IOException {
        StringBuilder text = new StringBuilder();
        for (X509CertificateHolder certificate : chain) {
            text.append(PemBlocks.encode(CERTIFICATE, certificate.getEncoded()));
        }
        return text.toString();
    }

    /** Makes a folder that only its owner may enter. One that is there keeps its mode. */
    static void createPrivateFolder(Path folder) throws IOException {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null) { // null for the root
            Files.createDirectories(parent);
        }
        if (!Files.isDirectory(folder)) {
            FileAttribute<?>[] attributes =
                    FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                            ? new FileAttribute<?>[] {
                                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
                            }
                            : new FileAttribute<?>[0];
            Files.createDirectory(folder, attributes);
        }
    }

    /** The first certificate of a file. */
    static X509CertificateHolder readCertificate(Path file) throws IOException {
        return new X509CertificateHolder(PemBlocks.read(CERTIFICATE, file));
    }

    static PrivateKey readKey(Path file) throws IOException, GeneralSecurityException {
        return KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(PemBlocks.read(PemBlocks.KEY, file)));
    }
}
