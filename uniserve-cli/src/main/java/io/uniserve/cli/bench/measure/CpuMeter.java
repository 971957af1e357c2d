package io.uniserve.cli.bench.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** CPU time that a set of processes and, if asked, this one have used. */
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

    /** Milliseconds of CPU since the processes began; steps of 10 ms on Linux. */
    public double totalMs() {
        return processes.stream()
                .mapToDouble(process ->
                        process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e6)
                .sum();
    }
}
