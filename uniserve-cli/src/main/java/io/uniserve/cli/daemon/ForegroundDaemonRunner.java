package io.uniserve.cli.daemon;

import io.uniserve.cli.command.Console;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.process.StopSignalHandler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lifecycle of a daemon in the foreground. It prints the ready line on standard output, then waits. SIGTERM and Ctrl-C close the daemon,
 * which drains, and the process exits with 0. A second signal ends it at once, with {@link ExitCode#ofSignal}. A close that takes too long
 * halts the process; no acknowledged update is lost. A failure of the daemon ends it with {@link ExitCode#FAULT}, even if the daemon can no
 * longer be closed, e.g. out of memory.
 */
final class ForegroundDaemonRunner {
    private static final Logger LOG = LoggerFactory.getLogger(ForegroundDaemonRunner.class);

    private final Console console;
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    /** Time limit for closing after a failure or a signal, after which the process is halted. */
    private volatile long closeMillisMax = Limits.STOP_MS_MAX;
    /** Created in advance, because there may be no memory later. */
    private final Thread haltThread = new Thread(this::haltWhenStuck, "last-resort");

    ForegroundDaemonRunner(Console console) {
        this.console = console;
        haltThread.setDaemon(true);
    }

    /** Returns the line {@code ready KIND HOST:PORT pid N}, for which scripts wait. */
    static String readyLine(String kind, Object address) {
        return "ready " + kind + " " + address + " pid "
                + ProcessHandle.current().pid();
    }

    /** Ends the daemon after a fatal failure, and logs the cause. */
    void failed(Throwable cause) {
        if (end.complete(ExitCode.FAULT)) {
            haltThread.start();
        }
        LOG.error("daemon: stopping after a failure it cannot handle", cause);
    }

    private void haltWhenStuck() {
        try {
            if (!closed.await(closeMillisMax, TimeUnit.MILLISECONDS)) {
                LOG.error("daemon: did not stop within the limit of {} ms, halting the process", closeMillisMax);
                Runtime.getRuntime().halt(ExitCode.FAULT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Prints the ready line, waits for the end, and closes the daemon. */
    int serve(String ready, AutoCloseable daemon) throws Exception {
        return serve(ready, daemon, daemon, Duration.ZERO);
    }

    /**
     * Prints the ready line, waits for the end, and stops the daemon.
     *
     * @param drain the orderly stop
     * @param patience configured time limit of the orderly stop; {@link Limits#STOP_MS_MAX} later the process is halted
     */
    int serve(String ready, AutoCloseable drain, AutoCloseable close, Duration patience) throws Exception {
        StopSignalHandler.install(
                () -> {
                    if (end.complete(ExitCode.OK)) {
                        closeMillisMax = patience.toMillis() + Limits.STOP_MS_MAX;
                        haltThread.start();
                    }
                },
                signal -> Runtime.getRuntime().halt(ExitCode.ofSignal(signal)));
        console.println(ready);
        int code = end.get();
        try {
            (code == ExitCode.OK ? drain : close).close();
        } finally {
            closed.countDown();
        }
        return code;
    }
}
