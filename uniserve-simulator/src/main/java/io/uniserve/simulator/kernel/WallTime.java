package io.uniserve.simulator.kernel;

/**
 * True wall time of a simulation. It starts at a fixed date, and may run faster than virtual time. All processes have the same speed, and
 * each a skew of its own.
 */
public final class WallTime {
    /** 2024-03-27, a few days before clocks change in some zones. */
    public static final long START_MILLIS = 1_711_500_000_000L;

    private static final long NANOS_PER_MILLI = 1_000_000;

    private final EventQueue queue;
    private long baseMillis = START_MILLIS;
    private long baseNanos;
    private long rate = 1;
    private long skewRate = 1;

    public WallTime(EventQueue queue) {
        this.queue = queue;
    }

    /** Sets the speed of all clocks, in wall time per virtual time, and multiplies their skew by it. Call it before the start. */
    public void startAt(long speed) {
        rate = speed;
        skewRate = speed;
    }

    /** Changes the speed from now on. Skews stay. */
    public void changeTo(long speed) {
        baseMillis = millis();
        baseNanos = queue.now();
        rate = speed;
    }

    /** Wall time per virtual time. */
    public long rate() {
        return rate;
    }

    /** The true time in milliseconds since 1970. */
    public long millis() {
        return baseMillis + (queue.now() - baseNanos) / NANOS_PER_MILLI * rate;
    }

    /** Maximum difference of a process's wall clock from the true time. */
    public long skewMillisMax() {
        return SimProcess.WALL_SKEW_MILLIS * skewRate;
    }

    /** The time that a clock with this skew shows. The skew is in milliseconds of virtual time. */
    long millis(long skewMillis) {
        return millis() + skewMillis * skewRate;
    }
}
