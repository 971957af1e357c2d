package io.uniserve.security;

import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Set;
import org.bouncycastle.cert.X509CertificateHolder;

/** Files of certificates and keys in PEM. A file is written whole or not at all. */
final class PemFileFormat {
    private static final int LINE_CHARS = 64;
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";

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
        write(file, encode(KEY, key.getEncoded()), "rw-------");
    }

    static void writeCertificates(Path file, X509CertificateHolder... chain) throws IOException {
        StringBuilder text = new StringBuilder();
        for (X509CertificateHolder certificate : chain) {
            text.append(encode(CERTIFICATE, certificate.getEncoded()));
        }
        write(file, text.toString(), "rw-r--r--");
    }

    /** The first certificate of a file. */
    static X509CertificateHolder readCertificate(Path file) throws IOException {
        return new X509CertificateHolder(decode(CERTIFICATE, file));
    }

    static PrivateKey readKey(Path file) throws IOException, GeneralSecurityException {
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(decode(KEY, file)));
    }

    private static byte[] decode(String type, Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.US_ASCII);
        String begin = begin(type);
        int from = text.indexOf(begin);
        int end = text.indexOf(end(type));
        if (from < 0 || end < from) {
            throw new IOException("file " + file + " has no " + type + " in PEM");
        }
        try {
            return Base64.getMimeDecoder().decode(text.substring(from + begin.length(), end));
        } catch (IllegalArgumentException e) {
            throw new IOException("file " + file + " is no PEM: " + e.getMessage(), e);
        }
    }

    private static String begin(String type) {
        return "-----BEGIN " + type + "-----";
    }

    private static String end(String type) {
        return "-----END " + type + "-----";
    }

    private static String encode(String type, byte[] data) {
        String body = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'}).encodeToString(data);
        return begin(type) + "\n" + body + "\n" + end(type) + "\n";
    }

    private static void write(Path file, String text, String permissions) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.deleteIfExists(part);
        FileAttribute<?>[] attributes =
                FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                        }
                        : new FileAttribute<?>[0];
        try (FileChannel out =
                FileChannel.open(part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), attributes)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
