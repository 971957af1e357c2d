package io.uniserve.server;

import io.uniserve.protocol.env.Timers;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Timers that a test fires, in the order in which they were set. */
final class TestingTimers implements Timers {
    final List<Long> delays = new ArrayList<>();
    private final Deque<Runnable> tasks = new ArrayDeque<>();

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        delays.add(delayNanos);
        tasks.add(task);
        return () -> tasks.remove(task);
    }

    int pending() {
        return tasks.size();
    }

    void fire() {
        tasks.remove().run();
    }
}
