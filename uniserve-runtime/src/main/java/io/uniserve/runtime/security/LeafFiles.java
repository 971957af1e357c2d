package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.tls.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.PrivateKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writer of a process's own certificate and key files. The two are replaced as one: a crash at any step leaves a pair that fits, at the
 * latest after {@link #finishReplacement}.
 */
final class LeafFiles {
    /** Suffix of the key that belongs to the certificate that is written next. */
    static final String NEXT = ".next";

    private static final Logger LOG = LoggerFactory.getLogger(LeafFiles.class);

    private LeafFiles() {}

    /**
     * Replaces certificate and key: writes the key beside the old one, replaces the certificate, then the key.
     *
     * @param chain certificates in PEM
     * @throws UniserveException IO if the files cannot be written; the old ones stay in use then
     */
    static void replace(TlsFiles files, String chain, PrivateKey key) {
        Path certificateFile = real(files.certificate().orElseThrow());
        Path keyFile = real(files.key().orElseThrow());
        Path nextKey = sibling(keyFile);
        try {
            PemBlocks.writeKey(nextKey, key.getEncoded());
            PemBlocks.writeCertificates(certificateFile, chain);
            Files.move(nextKey, keyFile, StandardCopyOption.ATOMIC_MOVE);
            PemBlocks.syncFolder(keyFile);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "the new certificate cannot be written to " + certificateFile + " and " + keyFile + ": "
                            + e.getMessage() + "; give this process the right to write in their folder",
                    e);
        }
    }

    /** Takes the key beside the key file, if only that fits the certificate: a replacement was interrupted between its last two steps. */
    static void finishReplacement(TlsFiles files) {
        if (files.certificate().isEmpty() || files.key().isEmpty()) {
            return;
        }
        Path keyFile = real(files.key().get());
        Path nextKey = sibling(keyFile);
        if (!Files.isRegularFile(nextKey, LinkOption.NOFOLLOW_LINKS)
                || TlsMaterial.fits(files.certificate().get(), keyFile)
                || !TlsMaterial.fits(files.certificate().get(), nextKey)) {
            return;
        }
        try {
            Files.move(nextKey, keyFile, StandardCopyOption.ATOMIC_MOVE);
            LOG.info("an interrupted replacement of {} is complete", keyFile);
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "tls.key-file: the key of the certificate is in " + nextKey + ", and cannot be moved to " + keyFile
                            + ": " + e.getMessage(),
                    e);
        }
    }

    /** The file itself, not a link to it. */
    static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException e) {
            return file; // its reader reports that it is absent
        }
    }

    private static Path sibling(Path file) {
        return file.resolveSibling(file.getFileName() + NEXT);
    }
}
