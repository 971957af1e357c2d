package io.uniserve.server.read;

import io.uniserve.api.QueryCancellation;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who waits for a query or a part of one, until that one gives up: then what works for it is stopped. Safe for use by several threads. */
public final class CancellationScope {
    private static final Logger LOG = LoggerFactory.getLogger(CancellationScope.class);
    /** Work that goes on after a stop is stopped again: the first one came before it had begun. */
    private static final long AGAIN_NANOS = 20_000_000;

    private final Timers timers;
    private final List<Work> open = new ArrayList<>(1);
    private volatile boolean gone;

    /** One who waits; timers may be set on any thread, and what they ring for may take a while: it is a port's. */
    public CancellationScope(Timers timers) {
        this.timers = timers;
    }

    /** Whether nobody waits any more. */
    public boolean gone() {
        return gone;
    }

    /** Nobody waits any more. */
    public void leave() {
        List<Work> stopped;
        synchronized (open) {
            gone = true;
            stopped = List.copyOf(open);
        }
        stopped.forEach(Work::stop);
    }

    /** See {@link QueryCancellation#whenGivenUp}. */
    public QueryCancellation.Watch whenGone(Runnable stop) {
        Work work = new Work(stop);
        synchronized (open) {
            open.add(work);
        }
        if (gone) {
            work.stop();
        }
        return work;
    }

    private final class Work implements QueryCancellation.Watch {
        private final Runnable stop;
        private boolean over;
        private Timers.Cancel again = () -> {};

        private Work(Runnable stop) {
            this.stop = stop;
        }

        private synchronized void stop() {
            if (!over) {
                again.cancel();
                try {
                    stop.run();
                } catch (RuntimeException | LinkageError e) {
                    LOG.warn("what was to stop an operator failed; it is tried again", e);
                }
                again = timers.after(AGAIN_NANOS, this::stop);
            }
        }

        @Override
        public void close() {
            synchronized (open) {
                open.remove(this);
            }
            synchronized (this) {
                over = true;
                again.cancel();
            }
        }
    }
}
