package io.uniserve.runtime.async;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Loop for tests: one named thread. */
public final class Loop implements Executor, AutoCloseable {
    static final String NAME = "test-loop";

    private final ExecutorService thread = Executors.newSingleThreadExecutor(task -> new Thread(task, NAME));

    @Override
    public void execute(Runnable task) {
        thread.execute(task);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
