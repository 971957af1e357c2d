package io.uniserve.testkit.tck;

import io.uniserve.codec.Bytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Files of a checkpoint. */
final class TckCheckpointFiles {
    private TckCheckpointFiles() {}

    /** Relative names of all files, sorted. */
    static List<String> names(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<String, Bytes> contents(Path directory) {
        Map<String, Bytes> contents = new TreeMap<>();
        for (String name : names(directory)) {
            contents.put(name, Bytes.wrap(read(directory.resolve(name))));
        }
        return contents;
    }

    static void copy(Path from, Path to) {
        contents(from).forEach((name, bytes) -> {
            try {
                Path target = to.resolve(name);
                Files.createDirectories(target.resolveSibling("."));
                Files.write(target, bytes.toArray());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void write(Path file, byte[] bytes) {
        try {
            Files.write(file, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void delete(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
