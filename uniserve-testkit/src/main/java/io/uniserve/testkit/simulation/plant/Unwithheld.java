package io.uniserve.testkit.simulation.plant;

import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.tx.AtomicConfig;

/** {@link Plant#DISCLOSED_EARLY}: a server's timers of which the one that withholds a commit is over at once. */
public final class Unwithheld implements Timers {
    private static final long WITHHELD = AtomicConfig.defaults().withholdNanos();

    private final Timers timers;

    public Unwithheld(Timers timers) {
        this.timers = timers;
    }

    @Override
    public Cancel after(long delayNanos, Runnable task) {
        return timers.after(delayNanos == WITHHELD ? 0 : delayNanos, task);
    }
}
