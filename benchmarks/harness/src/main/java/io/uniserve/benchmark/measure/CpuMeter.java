package io.uniserve.benchmark.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Meter of the CPU time of a set of processes, optionally including this one. */
public final class CpuMeter {
    private final List<ProcessHandle> processes;

    public CpuMeter(List<Long> pids, boolean thisProcess) {
        List<ProcessHandle> handles = new ArrayList<>(
                pids.stream().map(pid -> ProcessHandle.of(pid).orElseThrow()).toList());
        if (thisProcess) {
            handles.add(ProcessHandle.current());
        }
        this.processes = List.copyOf(handles);
    }

    /** Returns milliseconds of CPU since the start of the processes; the resolution is 10 ms on Linux. */
    public double totalMs() {
        return processes.stream()
                .mapToDouble(process ->
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e6)
                .sum();
    }
}
