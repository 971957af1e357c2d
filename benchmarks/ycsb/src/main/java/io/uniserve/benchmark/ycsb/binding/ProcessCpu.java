package io.uniserve.benchmark.ycsb.binding;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Common start of all clients of this YCSB process, and its CPU time from then to the last {@code cleanup}. YCSB makes one client per
 * thread. Both moments are marked on standard error, for {@code bench ycsb}.
 */
final class ProcessCpu {
    /** Begin of the line with the milliseconds, among YCSB's own figures. */
    private static final String LINE = "[UNISERVE-CPU], Milliseconds, ";

    private static final String STARTED = "uniserve-ycsb started";
    private static final String ENDED = "uniserve-ycsb ended";

    private static @Nullable CountDownLatch start;
    private static int clients;
    private static double startMs;

    private ProcessCpu() {}

    /** Waits until this many clients are ready, or have failed to be. Each client calls it once. */
    static void awaitStart(int threads) throws InterruptedException {
        CountDownLatch latch;
        synchronized (ProcessCpu.class) {
            latch = start == null ? new CountDownLatch(threads) : start;
            start = latch;
            clients++;
            latch.countDown();
            if (latch.getCount() == 0) {
                start = null;
                startMs = totalMs();
                System.err.println(STARTED);
            }
        }
        latch.await();
    }

    static synchronized void leave() {
        if (--clients == 0) {
            System.err.println(ENDED);
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
