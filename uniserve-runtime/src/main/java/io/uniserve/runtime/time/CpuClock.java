package io.uniserve.runtime.time;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/**
 * Clock of CPU time of the calling thread, the default cost of a query. It is the monotonic clock if the JVM does not support CPU
 * time.
 */
public final class CpuClock {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final boolean SUPPORTED =
            THREADS.isCurrentThreadCpuTimeSupported() && THREADS.isThreadCpuTimeEnabled();

    private CpuClock() {}

    /** Nanoseconds; only differences of two readings by the same thread are meaningful. */
    public static long nanos() {
        return SUPPORTED ? THREADS.getCurrentThreadCpuTime() : SystemClock.INSTANCE.nanos();
    }

    /** CPU time of the whole process so far, in nanoseconds; 0 if the JVM does not support it. */
    public static long processNanos() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
                ? Math.max(0, system.getProcessCpuTime())
                : 0;
    }
}
