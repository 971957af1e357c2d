package io.uniserve.port.mongodb.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Threads for rare work that may block, which do not keep this process alive. Stateless. */
final class DaemonThreads {
    private DaemonThreads() {}

    /** Executor that starts a thread per task. */
    static Executor named(String name) {
        return work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
        };
    }

    /** Executor that starts a thread per task after a delay. */
    static Executor delayed(String name, long millis) {
        return CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, named(name));
    }
}
