package io.uniserve.runtime.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Configuration files of tests. */
final class TestingTableConfigFiles {
    private TestingTableConfigFiles() {}

    static Settings load(Path directory, String text) {
        return Settings.load(Optional.of(write(directory, text)), Map.of());
    }

    static Path write(Path directory, String text) {
        try {
            return Files.writeString(directory.resolve("server.conf"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
