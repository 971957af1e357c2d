package io.uniserve.protocol.replica;

import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Queue of calls that arrived slightly too early. They wait here in order, because a rejected caller would retry only after a pause.
 * Waiting time, number and total size are bounded.
 */
final class DeferredCallQueue {
    private final Clock clock;
    private final Timers timers;
    private final int countMax;
    private final long bytesMax;
    private final List<Call> calls = new ArrayList<>();
    private long bytes;
    private boolean checkScheduled;

    private record Call(long untilNanos, int bytes, BooleanSupplier ready, Runnable action) {}

    DeferredCallQueue(Clock clock, Timers timers, int countMax, long bytesMax) {
        this.clock = clock;
        this.timers = timers;
        this.countMax = countMax;
        this.bytesMax = bytesMax;
    }

    /**
     * Queues a call.
     *
     * @param ripe true when the call may run
     * @param again runs the call; invoked when it is ripe or its time has ended
     * @return false if there is no room or no time left
     */
    boolean defer(long untilNanos, int size, BooleanSupplier ripe, Runnable again) {
        if (calls.size() >= countMax || bytes + size > bytesMax || now() - untilNanos >= 0) {
            return false;
        }
        calls.add(new Call(untilNanos, size, ripe, again));
        bytes += size;
        return true;
    }

    boolean isEmpty() {
        return calls.isEmpty();
    }

    /** Checks the queue after a change or after some time: calls that are ripe or whose time has ended run soon. */
    void scheduleCheck() {
        if (!checkScheduled && calls.stream().anyMatch(this::isDue)) {
            checkScheduled = true;
            timers.post(this::runDueCalls);
        }
    }

    private boolean isDue(Call call) {
        return call.ready.getAsBoolean() || now() - call.untilNanos >= 0;
    }

    private void runDueCalls() {
        checkScheduled = false;
        List<Call> over = calls.stream().filter(this::isDue).toList();
        calls.removeAll(over);
        over.forEach(call -> bytes -= call.bytes);
        over.forEach(call -> call.action.run());
    }

    /** Empties the queue, and runs all calls. */
    void close() {
        List<Call> all = List.copyOf(calls);
        calls.clear();
        bytes = 0;
        all.forEach(call -> call.action.run());
    }

    private long now() {
        return clock.nanos();
    }
}
