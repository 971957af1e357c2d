package io.uniserve.benchmark.druidpeer;

import java.util.concurrent.CompletableFuture;

/** End of this process together with the benchmark that started it, even if that is killed. */
final class ParentExit {
    private ParentExit() {}

    static void watch() {
        CompletableFuture<?> unused = ProcessHandle.current()
                .parent()
                .orElseThrow()
                .onExit()
                .thenRun(() -> Runtime.getRuntime().halt(1));
    }
}
