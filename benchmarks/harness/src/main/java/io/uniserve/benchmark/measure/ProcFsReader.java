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
        return megabytes(Path.of("/proc", Long.toString(pid), "status"), "VmHWM:");
    }

    /** Returns the resident memory of the process in MB; 0 if the system does not provide it. */
    public static long residentMb(long pid) {
        return megabytes(Path.of("/proc", Long.toString(pid), "status"), "VmRSS:");
    }

    /** Returns the memory of the machine that new processes may use, in MB; 0 if the system does not provide it. */
    public static long availableMb() {
        return megabytes(Path.of("/proc/meminfo"), "MemAvailable:");
    }

    private static long megabytes(Path file, String name) {
        if (!Files.exists(file)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(name))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot read " + file, e);
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
