package io.uniserve.benchmark.ycsb.binding;

import java.time.Duration;

/**
 * CPU time of this YCSB process between the first {@code init} and the last {@code cleanup} of its clients, which YCSB calls once per
 * thread. It is printed at the end, for {@code bench ycsb}.
 */
final class ProcessCpu {
    /** Begin of the line with the milliseconds. */
    static final String LINE = "[UNISERVE-CPU], Milliseconds, ";

    private static int clients;
    private static double startMs;

    private ProcessCpu() {}

    static synchronized void enter() {
        if (clients++ == 0) {
            startMs = totalMs();
        }
    }

    static synchronized void leave() {
        if (--clients == 0) {
            System.out.println(LINE + Math.round(totalMs() - startMs));
        }
    }

    private static double totalMs() {
        return ProcessHandle.current()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e6;
    }
}
