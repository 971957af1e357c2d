package io.uniserve.runtime.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointDirectoryFormatTest {
    @TempDir
    Path directory;

    private Path checkpoint = Path.of("");
    private int attempts;

    @BeforeEach
    void seal() throws IOException {
        Path written = Files.createDirectories(directory.resolve("written/deep"));
        Files.writeString(written.resolve("one"), "first");
        Files.writeString(written.resolveSibling("two"), "second");
        Files.createFile(written.resolve("empty"));
        checkpoint = Files.createDirectories(directory.resolve("checkpoint"));
        CheckpointDirectoryFormat.seal(directory.resolve("written"), checkpoint);
    }

    private Path unseal() throws IOException {
        attempts++;
        Path target = Files.createDirectories(directory.resolve("laid-out-" + attempts));
        CheckpointDirectoryFormat.unseal(checkpoint, target);
        return target;
    }

    private void assertCorrupt() {
        assertThatThrownBy(this::unseal)
                .isInstanceOfSatisfying(
                        UniserveException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }

    @Test
    void filesComeBackUnderTheirNames() throws IOException {
        Path target = unseal();
        assertThat(target.resolve("deep/one")).hasContent("first");
        assertThat(target.resolve("two")).hasContent("second");
        assertThat(target.resolve("deep/empty")).isEmptyFile();
    }

    @Test
    void aFlippedBitInAnyByteIsFound() throws IOException {
        for (String name : List.of("index", "f1", "f2")) {
            Path file = checkpoint.resolve(name);
            byte[] good = Files.readAllBytes(file);
            for (int at = 0; at < good.length; at++) {
                byte[] bad = good.clone();
                bad[at] ^= (byte) (1 << at % 8);
                Files.write(file, bad);
                assertCorrupt();
            }
            Files.write(file, good);
        }
        unseal();
    }

    @Test
    void everyCutAndEveryByteTooManyIsFound() throws IOException {
        for (String name : List.of("index", "f1", "f2")) {
            Path file = checkpoint.resolve(name);
            byte[] good = Files.readAllBytes(file);
            for (int length = 0; length < good.length; length++) {
                Files.write(file, Arrays.copyOf(good, length));
                assertCorrupt();
            }
            Files.write(file, Arrays.copyOf(good, good.length + 1));
            assertCorrupt();
            Files.write(file, good);
        }
        unseal();
    }

    @Test
    void aMissingFileIsFound() throws IOException {
        for (String name : List.of("index", "f0", "f1", "f2")) {
            Path aside = directory.resolve("aside");
            Files.move(checkpoint.resolve(name), aside);
            assertCorrupt();
            Files.move(aside, checkpoint.resolve(name));
        }
        unseal();
    }

    @Test
    void anExtraFileIsFound() throws IOException {
        for (String name : List.of("f3", "f00", "other")) {
            Path extra = Files.createFile(checkpoint.resolve(name));
            assertCorrupt();
            Files.delete(extra);
        }
        Path folder = Files.createDirectory(checkpoint.resolve("folder"));
        assertCorrupt();
        Files.delete(folder);
        unseal();
    }

    @Test
    void aDirectoryInPlaceOfAFileIsFound() throws IOException {
        Files.delete(checkpoint.resolve("f0"));
        Files.createDirectory(checkpoint.resolve("f0"));
        assertCorrupt();
    }
}
