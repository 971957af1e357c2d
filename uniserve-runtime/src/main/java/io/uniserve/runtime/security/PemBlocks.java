package io.uniserve.runtime.security;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.IOException;
import java.io.InputStream;
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
import java.util.Base64;
import java.util.Set;

/** Files in PEM. */
public final class PemBlocks {
    /** Kind of a block with a private key. */
    public static final String KEY = "PRIVATE KEY";

    private static final int LINE_CHARS = 64;

    private PemBlocks() {}

    /** One block. */
    public static String encode(String kind, byte[] data) {
        String body = Base64.getMimeEncoder(LINE_CHARS, new byte[] {'\n'}).encodeToString(data);
        return begin(kind) + "\n" + body + "\n" + end(kind) + "\n";
    }

    private static String begin(String kind) {
        return "-----BEGIN " + kind + "-----";
    }

    private static String end(String kind) {
        return "-----END " + kind + "-----";
    }

    /** The content of the first block of this kind in the file. Fails with an IOException without one, and for a file that is too large. */
    public static byte[] read(String kind, Path file) throws IOException {
        String text = new String(readBounded(file), StandardCharsets.US_ASCII);
        int from = text.indexOf(begin(kind));
        int body = from + begin(kind).length();
        int end = from < 0 ? -1 : text.indexOf(end(kind), body);
        if (end < 0) {
            throw new IOException(file.getFileName() + " has no " + kind + " in PEM");
        }
        try {
            return Base64.getMimeDecoder().decode(text.substring(body, end));
        } catch (IllegalArgumentException e) {
            throw new IOException(file.getFileName() + " is no PEM: " + e.getMessage(), e);
        }
    }

    /**
     * Checks that the file is there.
     *
     * @param key the setting that names it
     * @throws UniserveException INVALID_CONFIGURATION if it is missing or not readable
     */
    static void requireReadable(String key, Path file) {
        if (!Files.isReadable(file)) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION, key + ": file " + file + " is missing or not readable");
        }
    }

    /** The bytes of a file of at most {@link Limits#CONFIG_FILE_BYTES_MAX}. */
    static byte[] readBounded(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(Limits.CONFIG_FILE_BYTES_MAX + 1);
            if (bytes.length > Limits.CONFIG_FILE_BYTES_MAX) {
                throw new IOException("it has more than " + Limits.CONFIG_FILE_BYTES_MAX + " bytes");
            }
            return bytes;
        }
    }

    /** Writes a private key, readable by its owner only. Replaces the file in one step, and syncs it. */
    public static void writeKey(Path file, byte[] key) throws IOException {
        write(file, encode(KEY, key), "rw-------");
    }

    /** Writes certificates, readable by all. Replaces the file in one step, and syncs it. */
    public static void writeCertificates(Path file, String chain) throws IOException {
        write(file, chain, "rw-r--r--");
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
        syncFolder(file);
    }

    /** Makes the names in the folder of the file durable. */
    static void syncFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) { // null for the root only, which is no file
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }
}
