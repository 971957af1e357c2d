package io.uniserve.runtime.config;

import io.uniserve.limit.Limits;
import io.uniserve.placement.ReplicationLimits;
import java.time.Duration;

/**
 * Settings of automatic copies; {@code reference.conf} explains each.
 *
 * @param limits bounds of the policy
 * @param coolDown time after a change in which the opposite change of the same actor is not made
 */
public record ReplicationSettings(ReplicationLimits limits, Duration coolDown) {
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final double NANOS_PER_MILLI = 1e6;
    private static final double FACTOR_MAX = 10;
    private static final long BYTES_MAX = 1L << 50;

    /** True if actors may get automatic copies. */
    public boolean isEnabled() {
        return limits.copiesMax() > 1;
    }

    static ReplicationSettings of(ConfigSection rebalance) {
        double growAbove = rebalance.fraction("copies-grow-above", FACTOR_MAX);
        double shrinkBelow = rebalance.fraction("copies-shrink-below", FACTOR_MAX);
        if (!(shrinkBelow > 0 && shrinkBelow < growAbove)) {
            throw rebalance.invalidValue(
                    "copies-shrink-below", "a share above 0% and less than copies-grow-above, such as 50%", null);
        }
        double loadMin = rebalance.fraction("copies-load-min", FACTOR_MAX);
        if (!(loadMin > 0)) {
            throw rebalance.invalidValue("copies-load-min", "a share of one CPU above 0%, such as 10%", null);
        }
        Duration horizon = rebalance.duration("copies-horizon", Duration.ofSeconds(1), Duration.ofHours(24));
        ReplicationLimits limits = new ReplicationLimits(
                rebalance.number("copies-max", 0, Limits.REPLICATION_FACTOR_MAX),
                growAbove,
                shrinkBelow,
                loadMin * MILLIS_PER_SECOND,
                rebalance.bytes("copies-bytes-max", 1, BYTES_MAX),
                horizon.toMillis() / MILLIS_PER_SECOND,
                new ReplicationLimits.CopyCost(
                        rebalance.fraction("copies-transfer-cpu", FACTOR_MAX) * MILLIS_PER_SECOND,
                        millis(rebalance.duration("copies-cost", Duration.ZERO, Duration.ofHours(1))),
                        millis(rebalance.duration("copies-update-cost", Duration.ZERO, Duration.ofMinutes(1)))));
        return new ReplicationSettings(
                limits, rebalance.duration("copies-cool-down", Duration.ZERO, Duration.ofHours(24)));
    }

    private static double millis(Duration duration) {
        return duration.toNanos() / NANOS_PER_MILLI;
    }

    /** The defaults of {@code reference.conf}. */
    public static ReplicationSettings defaults() {
        return new ReplicationSettings(ReplicationLimits.defaults(), Duration.ofMinutes(5));
    }
}
