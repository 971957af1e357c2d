package io.uniserve.runtime.registry.access;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * File with one secret. Only its owner may read it. A file of root may also be readable by its group, as files of Kubernetes' secrets
 * are.
 */
final class SecretFile {
    private static final int BYTES_MAX = 256;

    private SecretFile() {}

    /**
     * Reads the secret: the file's content without the end of its last line.
     *
     * @param key setting that names the file, for errors
     * @throws UniserveException INVALID_CONFIGURATION if the file cannot be read, is readable by others, or has not exactly one line
     */
    static String read(String key, Path file) {
        try {
            refuseIfShared(key, file);
            String secret = content(file).replaceFirst("\\R\\z", "");
            if (secret.isEmpty() || secret.codePoints().anyMatch(Character::isISOControl)) {
                throw invalid(key, file, "has not exactly one line: write the password only", null);
            }
            return secret;
        } catch (IOException e) {
            throw invalid(key, file, "cannot be read (" + e + "): check its name and owner", e);
        }
    }

    private static String content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new IOException("it has more than " + BYTES_MAX + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        }
    }

    private static void refuseIfShared(String key, Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        if (view == null) {
            return;
        }
        PosixFileAttributes attributes = view.readAttributes();
        Set<PosixFilePermission> given = attributes.permissions();
        boolean others =
                given.contains(PosixFilePermission.OTHERS_READ) || given.contains(PosixFilePermission.OTHERS_WRITE);
        boolean group =
                given.contains(PosixFilePermission.GROUP_READ) || given.contains(PosixFilePermission.GROUP_WRITE);
        if (others || group && !attributes.owner().getName().equals("root")) {
            throw invalid(key, file, "is open to other accounts: chmod 600 " + file, null);
        }
    }

    private static UniserveException invalid(String key, Path file, String why, @Nullable Exception cause) {
        return new UniserveException(ErrorCode.INVALID_CONFIGURATION, key + ": file " + file + " " + why, cause);
    }
}
