package io.uniserve.runtime.process;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * Handler of SIGTERM, SIGINT (Ctrl-C) and SIGHUP. The first signal requests a graceful stop, the second an immediate one. A shutdown
 * hook is not enough: once hooks run, the JVM handles no second signal.
 */
public final class StopSignalHandler {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignalHandler.class);
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP");

    private StopSignalHandler() {}

    /**
     * Replaces the JVM's own handling, which ends the process.
     *
     * @param gently run on its own thread at the first signal; the process ends when it returns
     * @param atOnce receives the number of the second signal; ends the process
     */
    public static void install(Runnable gently, IntConsumer atOnce) {
        AtomicBoolean asked = new AtomicBoolean();
        for (String name : NAMES) {
            Signal.handle(new Signal(name), signal -> {
                if (asked.compareAndSet(false, true)) {
                    LOG.info("SIG{}: stopping; once more to stop at once", signal.getName());
                    new Thread(gently, "uniserve-stop").start();
                } else {
                    LOG.warn("SIG{} again: stopping at once", signal.getName());
                    atOnce.accept(signal.getNumber());
                }
            });
        }
    }
}
