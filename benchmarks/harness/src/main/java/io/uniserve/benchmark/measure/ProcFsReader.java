package io.uniserve.benchmark.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Process statistics that Linux provides under {@code /proc}. */
public final class ProcFsReader {
    private ProcFsReader() {}

    /** Returns the peak memory of the process in MB; 0 if the system does not provide it. */
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
