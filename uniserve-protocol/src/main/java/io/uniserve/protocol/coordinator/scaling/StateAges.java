package io.uniserve.protocol.coordinator.scaling;

import io.uniserve.model.registry.ScalingInstance;
import io.uniserve.protocol.env.Clock;
import java.util.TreeMap;

/**
 * Ages of the states of instances by the leader's monotonic clock. A new leader takes the age that a state has by the wall clock when it
 * first sees it. So later jumps of the wall clock have no effect.
 */
final class StateAges {
    private static final long MILLI = 1_000_000L;

    /** Longest age that a new leader believes. A longer one comes from a wall clock that jumped, or from a long outage. */
    static final long AGE_MILLIS_MAX = 24 * 3_600_000L;

    private final Clock clock;
    private final TreeMap<String, Seen> seen = new TreeMap<>();

    private record Seen(ScalingInstance.State state, long startNanos) {}

    StateAges(Clock clock) {
        this.clock = clock;
    }

    /** Nanoseconds for which the instance has been in its state. */
    long nanos(ScalingInstance instance) {
        long now = clock.nanos();
        Seen known = seen.get(instance.token());
        if (known == null || known.state() != instance.state()) {
            long age = known == null ? believedMillis(instance.sinceMillis()) * MILLI : 0;
            known = new Seen(instance.state(), now - age);
            seen.put(instance.token(), known);
        }
        return now - known.startNanos();
    }

    /** Age of a time by the wall clock, as far as it can be believed, in milliseconds. */
    long believedMillis(long sinceMillis) {
        return Math.max(0, Math.min(AGE_MILLIS_MAX, clock.wallMillis() - sinceMillis));
    }

    void forget(String token) {
        seen.remove(token);
    }
}
