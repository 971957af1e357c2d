package io.uniserve.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;

/** Contents of the client's single jar and of the folders of the distribution: the required files, and no others. */
class ClientJarIT {
    @Test
    void theClientIsOneJarWithoutZooKeeperEngineOrLogging() throws IOException {
        List<String> entries = entries(only(ProjectTree.root().resolve("uniserve-client/target"), "-all.jar"));
        assertThat(entries)
                .anyMatch(e -> e.startsWith("io/uniserve/api/"))
                .anyMatch(e -> e.startsWith("io/uniserve/client/shaded/io/grpc/"));
        assertThat(entries)
                .noneMatch(e -> e.startsWith("org/apache/zookeeper/"))
                .noneMatch(e -> e.startsWith("org/apache/curator/"))
                .noneMatch(e -> e.startsWith("org/apache/lucene/"))
                .noneMatch(e -> e.startsWith("org/apache/solr/"))
                .noneMatch(e -> e.startsWith("org/slf4j/"))
                .noneMatch(e -> e.startsWith("io/grpc/"))
                .noneMatch(e -> e.startsWith("com/google/"))
                .noneMatch(e -> e.startsWith("io/uniserve/port/"));
    }

    @Test
    void portFoldersHoldTheEngineAndNothingThatTheLoaderShows() throws IOException {
        for (String port : List.of("kv", "solr")) {
            List<String> jars = names(ProjectTree.root().resolve("uniserve-cli/target/dist/ports/" + port + "/lib"));
            assertThat(jars)
                    .as("jars of port " + port)
                    .anyMatch(j -> j.startsWith("uniserve-port-" + port))
                    .noneMatch(j -> j.startsWith("uniserve-core"))
                    .noneMatch(j -> j.startsWith("jspecify"))
                    .noneMatch(j -> j.startsWith("slf4j-") || j.startsWith("logback-") || j.startsWith("log4j-slf4j"));
        }
    }

    @Test
    void theDistributionsOwnLibrariesHoldNoEngine() throws IOException {
        assertThat(names(ProjectTree.root().resolve("uniserve-cli/target/dist/lib")))
                .anyMatch(j -> j.matches("uniserve-cli-[0-9].*"))
                .anyMatch(j -> j.startsWith("uniserve-harness"))
                .anyMatch(j -> j.startsWith("uniserve-server"))
                .noneMatch(j -> j.startsWith("solr-") || j.startsWith("lucene-"));
    }

    private static List<String> entries(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream().map(ZipEntry::getName).toList();
        }
    }

    private static Path only(Path folder, String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> found = files.filter(f -> f.toString().endsWith(suffix)).toList();
            assertThat(found).as("files ending in " + suffix + " in " + folder).hasSize(1);
            return found.get(0);
        }
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(f -> f.getFileName().toString()).sorted().toList();
        }
    }
}
