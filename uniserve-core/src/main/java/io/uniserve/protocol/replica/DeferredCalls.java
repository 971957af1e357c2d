package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Calls that have come a moment too early: they wait here, in their order, instead of being sent back, because whoever is
 * sent back tries again after a pause. None waits beyond its time, and there is a bound to how many do.
 */
final class DeferredCalls {
    private final Clock clock;
    private final Timers timers;
    private final int countMax;
    private final long bytesMax;
    private final List<Call> held = new ArrayList<>();
    private long bytes;
    private boolean looking;

    private record Call(long untilNanos, int bytes, BooleanSupplier ripe, Runnable again) {}

    DeferredCalls(Clock clock, Timers timers, int countMax, long bytesMax) {
        this.clock = clock;
        this.timers = timers;
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Keeps a call for later.
     *
     * @param ripe true when it need not wait any more
     * @param again what to do then, or when its time is over
     * @return false where there is no room, or no time left
     */
    boolean hold(long untilNanos, int size, BooleanSupplier ripe, Runnable again) {
        if (held.size() >= countMax || bytes + size > bytesMax || now() - untilNanos >= 0) {
            return false;
        }
        held.add(new Call(untilNanos, size, ripe, again));
        bytes += size;
        return true;
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** Something has changed, or time has passed: whoever need not wait any more goes on, soon. */
    void look() {
        if (!looking && held.stream().anyMatch(this::over)) {
            looking = true;
            timers.post(this::release);
        }
    }

    private boolean over(Call call) {
        return call.ripe.getAsBoolean() || now() - call.untilNanos >= 0;
    }

    private void release() {
        looking = false;
        List<Call> over = held.stream().filter(this::over).toList();
        held.removeAll(over);
        over.forEach(call -> bytes -= call.bytes);
        over.forEach(call -> call.again.run());
    }

    /** Nobody waits any more. */
    void close() {
        List<Call> all = List.copyOf(held);
        held.clear();
        bytes = 0;
        all.forEach(call -> call.again.run());
    }

    private long now() {
        return clock.nanos();
    }
}
