package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;

/**
 * Limits of automatic scaling. All times are in nanoseconds.
 *
 * @param periodNanos period over which the load is averaged before a decision; 0 turns scaling off
 * @param serversMin minimum number of servers
 * @param serversMax maximum number of servers; a policy that asks for more is refused
 * @param addPeriods consecutive periods that must agree before servers are added
 * @param removePeriods consecutive periods that must agree before a server is removed
 * @param pauseNanos time without a decision after servers have joined or left
 * @param reversalNanos time after servers have joined in which none is removed, and after one has left in which none is added unless the
 *     minimum requires it
 * @param launchNanos time in which a launched server must join
 * @param drainNanos time in which a drained server must become empty
 * @param listNanos interval of the provider's lists
 * @param callNanos time-out of a call of the provider, and the first pause after a failed one
 * @param policyNanos time-out of the policy
 * @param endedNanos time for which ended instances stay recorded, for providers that list late
 * @param template template of new servers
 */
public record ScalingConfig(
        long periodNanos,
        int serversMin,
        int serversMax,
        int addPeriods,
        int removePeriods,
        long pauseNanos,
        long reversalNanos,
        long launchNanos,
        long drainNanos,
        long listNanos,
        long callNanos,
        long policyNanos,
        long endedNanos,
        String template) {
    /** Number of load samples per period. */
    static final int SAMPLES = 6;

    private static final long SECOND = 1_000_000_000L;

    public ScalingConfig {
        if (serversMin < 1 || serversMax < serversMin || serversMax > Limits.SERVERS_MAX) {
            throw UniserveException.invalid("servers-min " + serversMin + ", servers-max " + serversMax + ": use 1 to "
                    + Limits.SERVERS_MAX + ", the first at most the second");
        }
        if (periodNanos < 0 || addPeriods < 1 || removePeriods < 1 || pauseNanos < 0 || reversalNanos < 0) {
            throw UniserveException.invalid("period, pause and reversal must not be negative, and add-periods and"
                    + " remove-periods must be at least 1");
        }
        if (launchNanos <= 0
                || drainNanos <= 0
                || listNanos <= 0
                || callNanos <= 0
                || policyNanos <= 0
                || endedNanos <= 0) {
            throw UniserveException.invalid("the time-outs of launches, drains, lists, calls, policies and ended"
                    + " instances must be positive");
        }
    }

    /** Without automatic scaling. Instances of earlier decisions are still brought to their end. */
    public static ScalingConfig off() {
        return new ScalingConfig(
                0,
                1,
                Limits.SERVERS_MAX,
                1,
                1,
                0,
                0,
                300 * SECOND,
                1_800 * SECOND,
                5 * SECOND,
                10 * SECOND,
                10 * SECOND,
                3_600 * SECOND,
                "");
    }

    boolean isEnabled() {
        return periodNanos > 0;
    }
}
