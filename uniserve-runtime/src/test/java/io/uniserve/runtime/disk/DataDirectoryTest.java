package io.uniserve.runtime.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.env.IdGenerator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
    @TempDir
    Path parent;

    private long next = 42;
    private final IdGenerator ids = () -> next++ * 0x9e3779b97f4a7c15L;

    private DataDirectory open(Path root) {
        return DataDirectory.open(root, "c1", true, ids);
    }

    private static void refuses(ThrowingCallable opening, ErrorCode code, String... words) {
        assertThatThrownBy(opening)
                .isInstanceOf(UniserveException.class)
                .hasMessageContainingAll(words)
                .extracting(e -> ((UniserveException) e).code())
                .isEqualTo(code);
    }

    @Test
    void identityStaysIncarnationGrowsAndScratchIsEmptied() throws IOException {
        Path root = parent.resolve("data");
        ServerId server;
        try (DataDirectory first = open(root)) {
            server = first.server();
            assertThat(server.value()).matches("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
            assertThat(first.incarnation()).isEqualTo(1);
            Files.writeString(first.scratch().resolve("live"), "x");
            Files.writeString(first.files().resolve("kept"), "y");
        }
        try (DataDirectory second = open(root)) {
            assertThat(second.server()).isEqualTo(server);
            assertThat(second.incarnation()).isEqualTo(2);
            assertThat(second.scratch()).isEmptyDirectory();
            assertThat(second.files().resolve("kept")).hasContent("y");
        }
        try (DataDirectory other = open(parent.resolve("other"))) {
            assertThat(other.server()).isNotEqualTo(server);
        }
    }

    @Test
    void anotherClusterIsRefusedAndNothingChanges() throws IOException {
        Path root = parent.resolve("data");
        open(root).close();
        Files.writeString(root.resolve("scratch/live"), "x");
        refuses(() -> DataDirectory.open(root, "c2", true, ids), ErrorCode.WRONG_CLUSTER, "c1", "c2");
        assertThat(root.resolve("incarnation")).hasContent("1");
        assertThat(root.resolve("scratch/live")).exists();
    }

    @Test
    void aNewServerBeginsOnlyWhereItIsWanted() throws IOException {
        Path missing = parent.resolve("missing");
        refuses(() -> existing(missing), ErrorCode.INVALID_CONFIGURATION, "missing does not exist", "--new");
        assertThat(missing).doesNotExist();
        Path empty = Files.createDirectory(parent.resolve("empty"));
        Files.createDirectory(empty.resolve("lost+found"));
        refuses(() -> existing(empty), ErrorCode.INVALID_CONFIGURATION, "empty is empty", "the mount", "--new");
        assertThat(empty.resolve("lost+found")).exists();
        assertThat(empty.resolve("lock")).doesNotExist();
        open(empty).close();
        existing(empty).close();
        Path deep = parent.resolve("none/deep");
        refuses(() -> open(deep), ErrorCode.INVALID_CONFIGURATION, "there is no directory", "make that one first");
        assertThat(parent.resolve("none")).doesNotExist();
    }

    private DataDirectory existing(Path root) {
        return DataDirectory.open(root, "c1", false, ids);
    }

    @Test
    void whatIsNoDataDirectoryIsLeftAlone() throws IOException {
        Path file = Files.writeString(parent.resolve("file"), "x");
        refuses(() -> open(file), ErrorCode.INVALID_CONFIGURATION, "is no directory");
        Path home = parent.resolve("home");
        Files.createDirectories(home.resolve("scratch"));
        Files.writeString(home.resolve("scratch/precious"), "x");
        refuses(() -> open(home), ErrorCode.INVALID_CONFIGURATION, "has no server.id but scratch", "another directory");
        assertThat(home.resolve("scratch/precious")).exists();
        Path lost = parent.resolve("lost");
        open(lost).close();
        Files.delete(lost.resolve("server.id"));
        refuses(() -> open(lost), ErrorCode.INVALID_CONFIGURATION, "no server.id", "files, incarnation");
    }

    @Test
    void anotherFormatAndDamageAreRefused() throws IOException {
        Path root = parent.resolve("data");
        open(root).close();
        Path identity = root.resolve("server.id");
        String good = Files.readString(identity);
        Files.writeString(identity, good.replace("format=1", "format=2"));
        refuses(() -> open(root), ErrorCode.INVALID_CONFIGURATION, "format 2", "reads 1");
        Files.writeString(identity, "\u0001\u0002");
        refuses(() -> open(root), ErrorCode.CORRUPT, "server.id");
        Files.writeString(identity, good);
        Files.writeString(root.resolve("incarnation"), "x");
        refuses(() -> open(root), ErrorCode.CORRUPT, "incarnation");
        Files.writeString(root.resolve("incarnation"), "7\n");
        try (DataDirectory opened = open(root)) {
            assertThat(opened.incarnation()).isEqualTo(8);
        }
    }

    @Test
    void theSameProcessCannotOpenItTwice() {
        Path root = parent.resolve("data");
        try (DataDirectory first = open(root)) {
            refuses(() -> open(root), ErrorCode.INVALID_CONFIGURATION, "in use by this process");
            refuses(() -> open(root), ErrorCode.INVALID_CONFIGURATION, "in use by this process");
            assertThat(first.incarnation()).isEqualTo(1);
        }
        open(root).close();
    }

    @Test
    void anotherProcessHoldsItUntilItDies() throws IOException, InterruptedException {
        Path root = parent.resolve("data");
        Path held = parent.resolve("held");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LockHolder.class.getName(),
                        root.toString(),
                        held.toString())
                .redirectErrorStream(true)
                .redirectOutput(parent.resolve("output").toFile())
                .start();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(held) || !process.isAlive());
            assertThat(parent.resolve("output")).content().doesNotContain("Exception");
            refuses(() -> open(root), ErrorCode.INVALID_CONFIGURATION, "in use by another process");
        } finally {
            process.destroyForcibly().waitFor();
        }
        try (DataDirectory opened = open(root)) {
            assertThat(opened.incarnation()).isEqualTo(2);
        }
    }
}
