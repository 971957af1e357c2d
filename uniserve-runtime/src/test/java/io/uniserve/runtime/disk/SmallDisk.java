package io.uniserve.runtime.disk;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Small file system of a few megabytes to fill: a tmpfs, which only root can mount. */
public final class SmallDisk implements AutoCloseable {
    private final Path mount;

    private SmallDisk(Path mount) {
        this.mount = mount;
    }

    /** Mounts one at a new directory; skips the test if this is not permitted. */
    public static SmallDisk mount(Path at, int megabytes) throws IOException {
        Files.createDirectories(at);
        boolean mounted = run(List.of("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", at.toString()));
        assumeTrue(mounted, "mounting a tmpfs needs root");
        return new SmallDisk(at);
    }

    /** Mount point. */
    public Path path() {
        return mount;
    }

    /** Fills the disk. Delete the returned file to free it. */
    public Path fill() throws IOException {
        Path file = mount.resolve("filler");
        byte[] block = new byte[4096];
        try (var out = Files.newOutputStream(file)) {
            while (true) {
                out.write(block);
            }
        } catch (IOException e) {
            if (!String.valueOf(e.getMessage()).contains("No space left")) {
                throw e;
            }
        }
        return file;
    }

    private static boolean run(List<String> command) throws IOException {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return process.waitFor(20, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (!run(List.of("umount", mount.toString()))) {
            throw new IOException("cannot unmount " + mount);
        }
    }
}
