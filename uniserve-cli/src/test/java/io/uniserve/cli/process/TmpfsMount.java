package io.uniserve.cli.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** File system of a few megabytes that can be filled: a tmpfs, which only root can mount. */
final class TmpfsMount implements AutoCloseable {
    private static final int BLOCK = 4096;

    private final Path mount;

    private TmpfsMount(Path mount) {
        this.mount = mount;
    }

    /** Mounts one at a new directory; skips the test if that is not allowed. */
    static TmpfsMount mount(Path at, int megabytes) throws Exception {
        Files.createDirectories(at);
        boolean mounted =
                run(List.of("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", at.toString())) == 0;
        assumeTrue(mounted, "mounting a tmpfs needs root");
        return new TmpfsMount(at);
    }

    /** Uses all space except these bytes, rounded to blocks, until {@link #free}. */
    void fill(long bytesLeft) throws IOException {
        byte[] block = new byte[BLOCK];
        long written = 0;
        try (OutputStream out = Files.newOutputStream(filler())) {
            while (true) {
                out.write(block);
                written += BLOCK;
            }
        } catch (IOException e) {
            assertThat(e).hasMessageContaining("No space left");
        }
        try (RandomAccessFile file = new RandomAccessFile(filler().toFile(), "rw")) {
            file.setLength(Math.max(0, written - bytesLeft));
        }
    }

    void free() throws IOException {
        Files.deleteIfExists(filler());
    }

    private Path filler() {
        return mount.resolve("filler");
    }

    private static int run(List<String> command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    @Override
    public void close() throws Exception {
        assertThat(run(List.of("umount", mount.toString()))).isZero();
    }
}
