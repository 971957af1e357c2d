package io.uniserve.cli.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.codec.Bytes;
import io.uniserve.runtime.store.LocalObjectStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorageListCommandTest {
    private static final String LOG = "backup/main/7/0/log/%020d-%020d-%020d".formatted(1, 5, 1);
    private static final String DEFINITION = "definition/main/7/%020d-%010d-%s".formatted(1, 1, "a".repeat(64));
    private static final String MANIFEST =
            "backup/main/7/0/checkpoint/%020d-%s/manifest-%s".formatted(1, "0".repeat(16), "b".repeat(64));

    @TempDir
    Path directory;

    private final TestingConsole uniserve = new TestingConsole(bootstrap -> new TestingClusterClient());

    private void put(String... keys) throws IOException {
        try (LocalObjectStore store = LocalObjectStore.open(directory)) {
            for (String key : keys) {
                store.put(key, Bytes.utf8(key));
            }
        }
    }

    @Test
    void tablesAndOrphansAreListed() throws IOException {
        put("owner/main", DEFINITION, LOG, "probe/1f");
        Run tables = uniserve.run("storage", "list", directory.toString());
        assertThat(tables.exit()).as(tables.err()).isEqualTo(ExitCode.OK);
        assertThat(tables.lines().get(0)).startsWith("CLUSTER").contains("TABLE", "LOG RUNS");
        assertThat(tables.lines().get(1).split(" +")).containsExactly("main", "7", "yes", "1", "1", "0", "0");
        assertThat(tables.out()).contains("4 objects, 0 named backups").doesNotContain("orphan");

        Run orphans = uniserve.run("storage", "list", "file:" + directory, "--orphans");
        assertThat(orphans.out()).contains("probe/1f", "left by a test of the store", "1 orphaned objects");
        assertThat(uniserve.run("storage", "list", directory.toString(), "--orphans", "-o", "json")
                        .out())
                .contains("\"orphans\":[{\"key\":\"probe/1f\",\"reason\":\"PROBE\"}]", "\"undecided\":[]");
    }

    @Test
    void aDamagedManifestFailsTheCommand() throws IOException {
        put("owner/main", DEFINITION, LOG, MANIFEST);
        Run run = uniserve.run("storage", "list", directory.toString(), "--orphans");
        assertThat(run.exit()).isEqualTo(ExitCode.NOT_PASSED);
        assertThat(run.out()).contains("0 orphaned objects", "not examined: backup/main/7/0/", "SHA-256");
    }

    @Test
    void aFolderThatIsNoStoreStaysAsItIs() {
        Run run = uniserve.run("storage", "list", directory.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("is no durable storage", "storage.location");
        assertThat(directory).isEmptyDirectory();
        assertThat(uniserve.run("storage", "list", directory.resolve("absent").toString())
                        .exit())
                .isEqualTo(ExitCode.REFUSED);
        assertThat(Files.exists(directory.resolve("absent"))).isFalse();
    }
}
