package io.uniserve.cli.bench.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What Linux tells of a process under {@code /proc}. */
public final class ProcFiles {
    private ProcFiles() {}

    /** The most memory that the process has had so far, in MB; 0 where the system does not tell. */
    public static long peakMb(long pid) {
        Path status = Path.of("/proc", Long.toString(pid), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return lines.filter(line -> line.startsWith("VmHWM:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + status, e);
        }
    }

    /** Number of threads. */
    public static int threads(long pid) {
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
            return (int) tasks.count();
        } catch (IOException e) {
            throw new UniserveException(
                    ErrorCode.IO, "cannot count the threads of process " + pid + " (Linux only)", e);
        }
    }
}
