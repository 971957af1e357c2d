package io.uniserve.benchmark.measure;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * CPU limit per process, so that each of several servers on one machine has a capacity as on a machine of its own. It uses control groups
 * (version 1 or 2), which need root.
 */
public final class CpuQuota implements AutoCloseable {
    private static final Path V1 = Path.of("/sys/fs/cgroup/cpu");
    private static final Path V2 = Path.of("/sys/fs/cgroup");
    /** A short period: a process that has used its share waits only for milliseconds. */
    private static final int PERIOD_MICROS = 10_000;

    private final List<Path> groups = new ArrayList<>();
    private final List<Long> pids = new ArrayList<>();

    /** True if this process may create control groups. */
    public static boolean isPossible() {
        return Files.isWritable(root()) && (isV1() || Files.isWritable(V2.resolve("cgroup.subtree_control")));
    }

    private static boolean isV1() {
        return Files.exists(V1.resolve("cpu.cfs_quota_us"));
    }

    private static Path root() {
        return isV1() ? V1 : V2;
    }

    /** Limits each process to a share of one core, e.g. 0.4. */
    public void limit(List<Long> processes, double cores) {
        try {
            if (!isV1()) {
                Files.writeString(V2.resolve("cgroup.subtree_control"), "+cpu");
            }
            for (long pid : processes) {
                Path group = root().resolve("uniserve-bench-" + pid);
                groups.add(Files.createDirectory(group));
                int quota = (int) (cores * PERIOD_MICROS);
                if (isV1()) {
                    Files.writeString(group.resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_MICROS));
                    Files.writeString(group.resolve("cpu.cfs_quota_us"), Integer.toString(quota));
                } else {
                    Files.writeString(group.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
                }
                Files.writeString(group.resolve("cgroup.procs"), Long.toString(pid));
                pids.add(pid);
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot limit the CPU of processes: " + e.getMessage(), e);
        }
    }

    /** Removes the limits. */
    @Override
    public void close() {
        try {
            for (long pid : pids) {
                if (ProcessHandle.of(pid).isPresent()) {
                    Files.writeString(root().resolve("cgroup.procs"), Long.toString(pid));
                }
            }
            for (Path group : groups) {
                Files.delete(group);
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot remove the CPU limit: " + e.getMessage(), e);
        }
    }
}
