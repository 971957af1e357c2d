package io.uniserve.runtime.process;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sun.misc.Signal;

/**
 * SIGTERM, SIGINT (Ctrl-C) and SIGHUP: the first asks to stop gently, the second to stop at once. A shutdown hook would not
 * do: once hooks run, the JVM hears no second signal.
 */
public final class StopSignals {
    private static final Logger LOG = LoggerFactory.getLogger(StopSignals.class);
    private static final List<String> NAMES = List.of("TERM", "INT", "HUP");

    private StopSignals() {}

    /**
     * Takes the signals over from the JVM, which then no more ends on them by itself.
     *
     * @param gently run on a thread of its own at the first signal; the process ends by itself when it is done
     * @param atOnce given the second signal's number; ends the process
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
