package io.uniserve.runtime.time;

import io.uniserve.error.UniserveException;

/**
 * Wall clock that runs faster than the machine's from an origin on, for tests and benchmarks of tables partitioned by time: their chunks
 * are minutes long at least. Only the ages and the expiry of chunks depend on the wall clock; all time-outs are unaffected. Immutable.
 *
 * @param originMillis time at which both clocks agree, in milliseconds since 1970
 * @param speed speed relative to the machine's clock, at least 1
 */
public record ScaledWallClock(long originMillis, double speed) {
    /** System property of a JVM with such a clock: {@link #text}. */
    public static final String PROPERTY = "uniserve.test.wall-clock";

    private static final double SPEED_MAX = 1e6;

    public ScaledWallClock {
        if (originMillis < 0 || !(speed >= 1 && speed <= SPEED_MAX)) {
            throw UniserveException.invalid("clock with origin " + originMillis + " and speed " + speed
                    + ": use milliseconds since 1970 and a speed of 1 to " + SPEED_MAX);
        }
    }

    /** Clock of a property's value; the machine's clock for an empty text. */
    static ScaledWallClock parse(String text) {
        if (text.isEmpty()) {
            return new ScaledWallClock(0, 1);
        }
        String[] parts = text.split(",", -1);
        try {
            if (parts.length == 2) {
                return new ScaledWallClock(Long.parseLong(parts[0]), Double.parseDouble(parts[1]));
            }
        } catch (NumberFormatException e) {
            throw UniserveException.invalid(PROPERTY + " is " + text + ": use ORIGIN_MILLIS,SPEED");
        }
        throw UniserveException.invalid(PROPERTY + " is " + text + ": use ORIGIN_MILLIS,SPEED");
    }

    /** Value of the property, such as {@code 1700000000000,60}. */
    public String text() {
        return originMillis + "," + speed;
    }

    /** Time of this clock when the machine's clock shows the given time. Before the origin both agree. */
    public long millisAt(long machineMillis) {
        long since = machineMillis - originMillis;
        return speed == 1 || since <= 0 ? machineMillis : originMillis + (long) (since * speed);
    }
}
