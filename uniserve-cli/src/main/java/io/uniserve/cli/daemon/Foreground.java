package io.uniserve.cli.daemon;

import io.uniserve.cli.Console;
import io.uniserve.cli.ExitCode;
import io.uniserve.limit.Limits;
import io.uniserve.runtime.process.StopSignals;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A daemon's life in the foreground: it says on standard output that it is ready, then waits. SIGTERM and Ctrl-C close the
 * daemon, which drains, and the process ends with 0; a second one ends it at once, with {@link ExitCode#ofSignal}. One that
 * takes longer than it may is halted, which loses nothing that was acknowledged. A failure
 * that the daemon tells ends it with {@link ExitCode#FAULT}, even where the daemon cannot be closed any more, as when memory
 * has run out.
 */
final class Foreground {
    private static final Logger LOG = LoggerFactory.getLogger(Foreground.class);

    private final Console console;
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    /** A daemon that failed, or was told to stop, is closed within this time, or the process is halted. */
    private volatile long boundMillis = Limits.STOP_MS_MAX;
    /** Made beforehand: later there may be no memory for it. */
    private final Thread lastResort = new Thread(this::haltWhenStuck, "last-resort");

    Foreground(Console console) {
        this.console = console;
        lastResort.setDaemon(true);
    }

    /** The line {@code ready KIND HOST:PORT pid N}, which scripts wait for. */
    static String line(String kind, Object address) {
        return "ready " + kind + " " + address + " pid "
                + ProcessHandle.current().pid();
    }

    /** The daemon cannot go on; the log says why. */
    void failed(Throwable cause) {
        if (end.complete(ExitCode.FAULT)) {
            lastResort.start();
        }
        LOG.error("cannot go on", cause);
    }

    private void haltWhenStuck() {
        try {
            if (!closed.await(boundMillis, TimeUnit.MILLISECONDS)) {
                LOG.error(
                        "the daemon did not stop within {} ms, the longest it may take: the process is halted",
                        boundMillis);
                Runtime.getRuntime().halt(ExitCode.FAULT);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Prints the line and waits for the end; closes the daemon. */
    int serve(String ready, AutoCloseable daemon) throws Exception {
        return serve(ready, daemon, daemon, Duration.ZERO);
    }

    /**
     * The same with another way to stop in good order.
     *
     * @param patience that this may take by the settings; with {@link Limits#STOP_MS_MAX} more the process is halted
     */
    int serve(String ready, AutoCloseable drain, AutoCloseable close, Duration patience) throws Exception {
        StopSignals.install(
                () -> {
                    if (end.complete(ExitCode.OK)) {
                        boundMillis = patience.toMillis() + Limits.STOP_MS_MAX;
                        lastResort.start();
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
