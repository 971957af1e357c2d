package io.uniserve.protocol.log;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** Queue of asynchronous steps that run one after another. A step ends when it runs the {@code Runnable} it got. */
public final class SequentialTaskQueue {
    private final ArrayDeque<Consumer<Runnable>> waiting = new ArrayDeque<>();
    private boolean running;

    /** Queues a step. */
    public void add(Consumer<Runnable> step) {
        waiting.add(step);
        if (!running) {
            next();
        }
    }

    private void next() {
        Consumer<Runnable> step = waiting.poll();
        running = step != null;
        if (step != null) {
            step.accept(this::next);
        }
    }
}
