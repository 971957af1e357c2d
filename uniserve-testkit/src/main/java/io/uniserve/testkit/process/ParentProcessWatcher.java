package io.uniserve.testkit.process;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Watcher that ends a daemon together with the command that started it, such as {@code demo} or {@code bench}, even after a SIGKILL of that
 * command. Daemons that an operator starts are not watched.
 */
public final class ParentProcessWatcher {
    private static final String PROPERTY = "uniserve.ends-with-parent";

    /** Exit code after SIGKILL. */
    private static final int EXIT_CODE = 137;

    private ParentProcessWatcher() {}

    /**
     * Returns the JVM's option that enables the watcher. It has the id of this process: if this process ends early, the operating system
     * reports another parent.
     */
    public static String flag() {
        return flag(ProcessHandle.current().pid());
    }

    public static String flag(long pid) {
        return "-D" + PROPERTY + "=" + pid;
    }

    /** Ends this process when the process that started it ends, if the option is set; at once if that has already ended. */
    public static void start() {
        Long starter = Long.getLong(PROPERTY);
        if (starter != null) {
            CompletableFuture<?> unused = ProcessHandle.of(starter)
                    .map(ProcessHandle::onExit)
                    .orElseGet(() -> CompletableFuture.completedFuture(ProcessHandle.current()))
                    .thenRun(() -> Runtime.getRuntime().halt(EXIT_CODE));
        }
    }

    /** Kills all descendants of this process and waits until they have ended. */
    public static void endAll() {
        try (Stream<ProcessHandle> started = ProcessHandle.current().descendants()) {
            CompletableFuture.allOf(started.filter(ProcessHandle::destroyForcibly)
                            .map(ProcessHandle::onExit)
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
    }
}
