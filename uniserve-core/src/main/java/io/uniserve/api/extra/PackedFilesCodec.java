package io.uniserve.api.extra;

import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Codec of a folder of small files as a text: a zip file in base64. A table option can so carry an engine's configuration. Stateless.
 *
 * <pre>{@code
 * String option = PackedFiles.pack(Path.of("conf"), file -> file.toString().endsWith(".xml")); // client
 * PackedFiles.unpack(table.options().get("configset"), folder);                                // port
 * }</pre>
 */
public final class PackedFilesCodec {
    private PackedFilesCodec() {}

    /**
     * Packs a folder. Equal files give an equal text.
     *
     * @param which selects files by their path relative to the folder
     * @throws UniserveException INVALID_ARGUMENT if the folder cannot be read or is too large
     */
    public static String pack(Path folder, Predicate<Path> which) {
        return pack(folder, which, "");
    }

    /**
     * Packs a folder without the files that are unchanged in {@code before}.
     *
     * @param before result of an earlier call; may be empty
     */
    public static String pack(Path folder, Predicate<Path> which, String before) {
        Map<String, byte[]> same = new HashMap<>();
        if (!before.isEmpty()) {
            read(before, same::put);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Stream<Path> walk = Files.walk(folder);
                ZipOutputStream zip = new ZipOutputStream(bytes)) {
            List<Path> files = walk.filter(Files::isRegularFile)
                    .filter(file -> which.test(folder.relativize(file)))
                    .sorted()
                    .toList();
            for (Path file : files) {
                String name = relativeName(folder, file);
                if (!Arrays.equals(same.get(name), Files.readAllBytes(file))) {
                    ZipEntry entry = new ZipEntry(name);
                    entry.setLastModifiedTime(FileTime.fromMillis(0));
                    zip.putNextEntry(entry);
                    Files.copy(file, zip);
                }
            }
        } catch (IOException e) {
            throw UniserveException.invalid("folder " + folder + " cannot be read: " + e.getMessage());
        }
        String text = Base64.getEncoder().encodeToString(bytes.toByteArray());
        if (text.length() >= Limits.TABLE_OPTION_BYTES_MAX) {
            throw UniserveException.invalid("folder " + folder + " has " + text.length()
                    + " bytes when packed, at most " + Limits.TABLE_OPTION_BYTES_MAX
                    + " with a table's other options; leave out files that are not needed");
        }
        return text;
    }

    /**
     * Unpacks into an existing folder.
     *
     * @throws UniserveException INVALID_ARGUMENT if the text is not a result of {@link #pack}, if a file would be outside of the folder, or
     *     if there are more than {@link Limits#PACKED_FILES_BYTES_MAX} bytes
     */
    public static void unpack(String packed, Path folder) {
        read(packed, (name, content) -> {
            Path file = folder.resolve(name).normalize();
            if (!file.startsWith(folder) || file.equals(folder)) {
                throw UniserveException.invalid(
                        "packed file " + PrintableText.line(name) + " leaves its folder; use names below the folder");
            }
            Files.createDirectories(file.getParent());
            Files.write(file, content);
        });
    }

    private interface FileConsumer {
        void accept(String name, byte[] content) throws IOException;
    }

    private static void read(String packed, FileConsumer take) {
        try (ZipInputStream zip =
                new ZipInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
            int room = Limits.PACKED_FILES_BYTES_MAX;
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                byte[] content = zip.readNBytes(room + 1);
                room -= content.length;
                if (room < 0) {
                    throw UniserveException.invalid("packed file " + PrintableText.line(entry.getName())
                            + ": there are more than " + Limits.PACKED_FILES_BYTES_MAX + " bytes");
                }
                take.accept(entry.getName(), content);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw UniserveException.invalid("packed files cannot be unpacked: " + e.getMessage() + "; give a folder");
        }
    }

    /** Writes the files of a folder; see {@link #createOnce}. */
    public interface FolderWriter {
        /** Writes into the folder. */
        void writeTo(Path folder) throws IOException;
    }

    /**
     * Creates and fills a folder, unless it exists. Fills a temporary folder first and renames it, so a crash leaves no partial folder. Not
     * safe for concurrent calls with the same folder.
     */
    public static Path createOnce(Path folder, FolderWriter fill) throws IOException {
        if (!Files.exists(folder)) {
            Path partial = Files.createDirectories(folder.resolveSibling(folder.getFileName() + ".partial"));
            fill.writeTo(partial);
            Files.move(partial, folder);
        }
        return folder;
    }

    /** Reads a temporary folder; see {@link #withTemporaryFolder}. */
    public interface FolderReader<T> {
        /** Reads or writes in the folder. */
        T readFrom(Path folder) throws Exception;
    }

    /** Calls the function with an empty temporary folder, and deletes the folder afterwards. */
    public static <T> T withTemporaryFolder(FolderReader<T> look) throws Exception {
        Path folder = Files.createTempDirectory("uniserve");
        try {
            return look.readFrom(folder);
        } finally {
            ActorFileLinker.delete(folder);
        }
    }

    /** Reads a resource of the class as UTF-8 text. */
    public static String readResource(Class<?> at, String name) {
        try (InputStream in = at.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** SHA-256 of each file in the folder, in hex, by relative path. */
    public static Map<String, String> digests(Path folder) throws IOException {
        Map<String, String> digests = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path file : walk.filter(Files::isRegularFile).toList()) {
                digests.put(relativeName(folder, file), Sha256.hex(Bytes.wrap(Files.readAllBytes(file))));
            }
        }
        return digests;
    }

    private static String relativeName(Path folder, Path file) {
        return folder.relativize(file).toString().replace('\\', '/');
    }

    /** Renames each existing file with one of these names to the new name; replaces a file of that name. */
    public static void rename(Path folder, List<String> names, String to) throws IOException {
        for (String name : names) {
            if (Files.exists(folder.resolve(name))) {
                Files.move(folder.resolve(name), folder.resolve(to), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }
}
