package io.uniserve.coordinator;

import io.uniserve.protocol.env.BackgroundExecutor;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.runtime.loop.EventLoop;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/** Executor of policies: one thread, with answers on the coordinator's loop. */
final class PolicyExecutor implements BackgroundExecutor, AutoCloseable {
    private final EventLoop loop;
    private final ExecutorService thread;

    PolicyExecutor(String name, EventLoop loop) {
        this.loop = loop;
        thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, name);
            made.setDaemon(true);
            return made;
        });
    }

    @Override
    public <T> void run(Supplier<T> work, Completion<T> completion) {
        thread.execute(() -> {
            Outcome<T> outcome = BackgroundExecutor.outcome(work);
            loop.execute(() -> completion.done(outcome));
        });
    }

    /** Interrupts a running computation and drops its answer. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
