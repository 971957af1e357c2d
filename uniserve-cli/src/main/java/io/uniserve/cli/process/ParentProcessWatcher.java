package io.uniserve.cli.process;

import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Ties a daemon to the command that started it, such as {@code demo} or {@code bench}: when that ends, even by SIGKILL, the
 * daemon ends at once. Daemons that an operator starts are not tied.
 */
public final class ParentProcessWatcher {
    private static final String PROPERTY = "uniserve.ends-with-parent";

    /** As after SIGKILL, which is what a shell reports for it. */
    private static final int EXIT_CODE = 137;

    private ParentProcessWatcher() {}

    /** The JVM's option that asks for it: names this process, as who asks for its parent too late is told of another one. */
    static String flag() {
        return flag(ProcessHandle.current().pid());
    }

    static String flag(long pid) {
        return "-D" + PROPERTY + "=" + pid;
    }

    /** Ends this process with the one that started it, if it was started so; at once where that one has ended before. */
    public static void follow() {
        Long starter = Long.getLong(PROPERTY);
        if (starter != null) {
            CompletableFuture<?> unused = ProcessHandle.of(starter)
                    .map(ProcessHandle::onExit)
                    .orElseGet(() -> CompletableFuture.completedFuture(ProcessHandle.current()))
                    .thenRun(() -> Runtime.getRuntime().halt(EXIT_CODE));
        }
    }

    /** Ends all processes that this one started, and theirs, and waits until they are gone. */
    public static void endAll() {
        try (Stream<ProcessHandle> started = ProcessHandle.current().descendants()) {
            CompletableFuture.allOf(started.filter(ProcessHandle::destroyForcibly)
                            .map(ProcessHandle::onExit)
                            .toArray(CompletableFuture[]::new))
                    .join();
        }
    }
}
