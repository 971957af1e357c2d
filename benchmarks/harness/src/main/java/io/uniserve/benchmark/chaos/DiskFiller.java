package io.uniserve.benchmark.chaos;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Means to make one server's disk full and to free it again. Not thread-safe, except for {@link #close}. */
final class DiskFiller implements AutoCloseable {
    private static final String SIZE = "128m";
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int COMMAND_SECONDS_MAX = 20;

    /** Means to make a disk full. */
    enum Means {
        /** A small file system in memory that is filled; needs root. */
        TMPFS,
        /** A file size limit of the process, so that no file can grow. Its error differs from that of a full disk. */
        PRLIMIT,
        /** No full disk. */
        NONE;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Means means;
    private @Nullable Path mounted;

    DiskFiller(Means means) {
        this.means = means;
    }

    /** Returns the possible means: a tmpfs for root, otherwise limits of the process. */
    static Means available() {
        return System.getProperty("user.name").equals("root") ? Means.TMPFS : Means.PRLIMIT;
    }

    Means means() {
        return means;
    }

    /** Creates the server's directory. Call it before the server starts. */
    void prepare(Path directory) {
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot create " + directory, e);
        }
        if (means == Means.TMPFS) {
            run("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "uniserve-chaos", directory.toString());
            mounted = directory;
        }
    }

    /** Makes all later writes of this process fail. */
    void fill(long pid) {
        Path directory = mounted;
        if (means == Means.PRLIMIT) {
            run("prlimit", "--pid", Long.toString(pid), "--fsize=1:");
        } else if (directory != null) {
            byte[] block = new byte[BLOCK_BYTES];
            try (OutputStream out = Files.newOutputStream(directory.resolve("filler"))) {
                while (true) {
                    out.write(block);
                }
            } catch (IOException e) {
                return; // full, as intended
            }
        }
    }

    /** Frees the disk again. */
    void free(long pid) {
        Path directory = mounted;
        if (means == Means.PRLIMIT && ProcessHandle.of(pid).isPresent()) {
            run("prlimit", "--pid", Long.toString(pid), "--fsize=unlimited:");
        } else if (directory != null) {
            try {
                Files.deleteIfExists(directory.resolve("filler"));
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot delete the file that fills " + directory, e);
            }
        }
    }

    private static void run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
            if (!process.waitFor(COMMAND_SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new UniserveException(
                        ErrorCode.IO,
                        String.join(" ", List.of(command)) + " failed: " + said.strip()
                                + "; choose another --full-disk: tmpfs, prlimit or none");
            }
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO,
                    "cannot run " + command[0] + "; choose another --full-disk: tmpfs, prlimit or none",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted while running " + command[0], e);
        }
    }

    /** Removes the file system. Call it after the server has ended. Idempotent. */
    @Override
    public synchronized void close() {
        Path directory = mounted;
        if (directory != null) {
            mounted = null;
            run("umount", directory.toString());
        }
    }
}
