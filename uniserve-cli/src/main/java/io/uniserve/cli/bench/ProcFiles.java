package io.uniserve.cli.bench;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What Linux tells of a process under {@code /proc}. */
final class ProcFiles {
    private ProcFiles() {}

    /** Number of threads. */
    static int threads(long pid) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return (int) tasks.count();
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "cannot count the threads of process " + pid + " (Linux only)", e);
        }
    }
}
