package io.uniserve.server.read.worker;

import io.uniserve.api.QueryCancellation;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Cancellation scope of a query or a part of one. When its caller cancels, all work registered here is stopped. Thread-safe. */
public final class CancellationScope {
    private static final Logger LOG = LoggerFactory.getLogger(CancellationScope.class);
    /** Interval of repeated stops: a stop has no effect on work that has not started yet. */
    private static final long REPEAT_NANOS = 20_000_000;

    private final Timers timers;
    private final List<Work> open = new ArrayList<>(1);
    private volatile boolean cancelled;

    /** Creates a scope. Timers may be set from any thread; their tasks are a port's code and may block for a while. */
    public CancellationScope(Timers timers) {
        this.timers = timers;
    }

    /** True if the caller has cancelled. */
    public boolean isCancelled() {
        return cancelled;
    }

    /** Cancels the scope and stops all its work. */
    public void cancel() {
        List<Work> stopped;
        synchronized (open) {
            cancelled = true;
            stopped = List.copyOf(open);
        }
        stopped.forEach(Work::stop);
    }

    /** See {@link QueryCancellation#onCancel}. */
    public QueryCancellation.Watch onCancel(Runnable stop) {
        Work work = new Work(stop);
        synchronized (open) {
            open.add(work);
        }
        if (cancelled) {
            work.stop();
        }
        return work;
    }

    private final class Work implements QueryCancellation.Watch {
        private final Runnable stop;
        private boolean ended;
        private Timers.Cancel repeatTimer = () -> {};

        private Work(Runnable stop) {
            this.stop = stop;
        }

        private synchronized void stop() {
            if (!ended) {
                repeatTimer.cancel();
                try {
                    stop.run();
                } catch (RuntimeException | LinkageError e) {
                    LOG.warn("stopping an operator failed, trying again", e);
                }
                repeatTimer = timers.after(REPEAT_NANOS, this::stop);
            }
        }

        @Override
        public void close() {
            synchronized (open) {
                open.remove(this);
            }
            synchronized (this) {
                ended = true;
                repeatTimer.cancel();
            }
        }
    }
}
