package io.uniserve.api;

import io.uniserve.error.Printable;
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
import java.nio.file.attribute.FileTime;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A folder of small files as a text, so that a table's option can carry an engine's configuration: a zip file as base64. */
public final class PackedFiles {
    private PackedFiles() {}

    /**
     * Packs a folder, the same for the same files. INVALID_ARGUMENT where it cannot be read or is too large.
     *
     * @param which of its files, by their path in the folder
     */
    public static String pack(Path folder, Predicate<Path> which) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (Stream<Path> walk = Files.walk(folder);
                ZipOutputStream zip = new ZipOutputStream(bytes)) {
            List<Path> files = walk.filter(Files::isRegularFile)
                    .filter(file -> which.test(folder.relativize(file)))
                    .sorted()
                    .toList();
            for (Path file : files) {
                ZipEntry entry = new ZipEntry(folder.relativize(file).toString().replace('\\', '/'));
                entry.setLastModifiedTime(FileTime.fromMillis(0));
                zip.putNextEntry(entry);
                Files.copy(file, zip);
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
     * Unpacks into an existing folder. INVALID_ARGUMENT where the text is not of {@link #pack}, leaves the folder, or unpacks
     * to more than {@link Limits#PACKED_FILES_BYTES_MAX}.
     */
    public static void unpack(String packed, Path folder) {
        try (ZipInputStream zip =
                new ZipInputStream(new ByteArrayInputStream(Base64.getDecoder().decode(packed)))) {
            int room = Limits.PACKED_FILES_BYTES_MAX;
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName()).normalize();
                byte[] content = zip.readNBytes(room + 1);
                room -= content.length;
                if (!file.startsWith(folder) || file.equals(folder) || room < 0) {
                    throw UniserveException.invalid("packed file " + Printable.line(entry.getName())
                            + " leaves its folder, or there are more than " + Limits.PACKED_FILES_BYTES_MAX + " bytes");
                }
                Files.createDirectories(file.getParent());
                Files.write(file, content);
            }
        } catch (IOException | IllegalArgumentException e) {
            throw UniserveException.invalid("packed files cannot be unpacked: " + e.getMessage() + "; give a folder");
        }
    }

    /** Fills a folder; see {@link #once}. */
    public interface Fill {
        /** Writes what belongs into the folder. */
        void into(Path folder) throws IOException;
    }

    /** Makes a folder and fills it, unless it is there; it is never there in part. Not for two threads at once. */
    public static Path once(Path folder, Fill fill) throws IOException {
        if (!Files.exists(folder)) {
            Path partial = Files.createDirectories(folder.resolveSibling(folder.getFileName() + ".partial"));
            fill.into(partial);
            Files.move(partial, folder);
        }
        return folder;
    }

    /** Reads something from a folder that is deleted again. */
    public interface Look<T> {
        T at(Path folder) throws Exception;
    }

    /** Calls with an empty folder, which is deleted afterwards. */
    public static <T> T temporary(Look<T> look) throws Exception {
        Path folder = Files.createTempDirectory("uniserve");
        try {
            return look.at(folder);
        } finally {
            ActorFiles.delete(folder);
        }
    }

    /** A text among a class's resources, UTF-8. */
    public static String resource(Class<?> at, String name) {
        try (InputStream in = at.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Moves the files of the folder that have one of these names to the new one. */
    public static void rename(Path folder, List<String> names, String to) throws IOException {
        for (String name : names) {
            if (Files.exists(folder.resolve(name))) {
                Files.move(folder.resolve(name), folder.resolve(to));
            }
        }
    }
}
