package io.uniserve.benchmark.balance;

import io.uniserve.benchmark.balance.ClosedLoopClients.Query;
import io.uniserve.benchmark.balance.ClosedLoopClients.Window;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Clients in an open loop: each query has an intended start, which follows from the rate alone, and its latency counts from there. So a slow
 * server delays no measurement (no coordinated omission). Queries are numbered over all windows. Failed and wrong queries are counted.
 * Not thread-safe.
 */
public final class OpenLoopClients {
    /** Longest park of a client, so that it sees the end of the window. */
    private static final long PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final int clients;
    private final long drainNanos;
    private final LongSupplier nanos;
    private long first;

    /**
     * Creates clients.
     *
     * @param clients maximum number of queries under way; further ones wait, and their latency grows
     * @param drainSeconds time after the end of a measured window in which queries of the window are still sent
     */
    public OpenLoopClients(int clients, double drainSeconds, LongSupplier nanos) {
        this.clients = clients;
        this.drainNanos = (long) (drainSeconds * 1e9);
        this.nanos = nanos;
    }

    /**
     * Sends queries while the action runs in the calling thread, then those that are due but not sent, and waits for the last answers. A
     * query that could not be sent within the time for late ones counts as failed.
     *
     * @param rate queries per second, more than 0
     */
    public Window measure(double rate, Runnable action, Query query) {
        return run(rate, true, action, query);
    }

    /** Sends queries while the action runs in the calling thread, and waits for the last answers. Queries not sent by then are left out. */
    public Window load(double rate, Runnable action, Query query) {
        return run(rate, false, action, query);
    }

    private Window run(double rate, boolean isMeasured, Runnable action, Query query) {
        Round round = new Round(nanos.getAsLong(), 1e9 / rate, isMeasured, query);
        List<QueryRecorder> recorders = new ArrayList<>();
        List<Runnable> loops = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            QueryRecorder recorder = new QueryRecorder(nanos);
            recorders.add(recorder);
            loops.add(() -> send(round, recorder));
        }
        try {
            ClientLoops.run(loops, action, () -> round.stop(nanos.getAsLong()));
        } finally {
            first += round.next.get();
        }
        return QueryRecorder.join((nanos.getAsLong() - round.start) / 1e9, recorders);
    }

    private void send(Round round, QueryRecorder recorder) {
        while (true) {
            long i = round.next.getAndIncrement();
            long due = round.start + (long) (i * round.periodNanos);
            long wait = due - nanos.getAsLong();
            while (wait > 0 && !round.stopped) {
                LockSupport.parkNanos(Math.min(PARK_NANOS, wait));
                wait = due - nanos.getAsLong();
            }
            if (round.isOver(due)) {
                return;
            }
            if (round.isTooLate(nanos.getAsLong())) {
                recorder.fail("query " + (first + i) + " was not sent: too many others were under way");
            } else {
                recorder.run(round.query, first + i, due);
            }
        }
    }

    /** Queries of one window. */
    private final class Round {
        private final long start;
        private final double periodNanos;
        private final boolean isMeasured;
        private final Query query;
        private final AtomicLong next = new AtomicLong();
        private volatile long end;
        private volatile boolean stopped;

        private Round(long start, double periodNanos, boolean isMeasured, Query query) {
            this.start = start;
            this.periodNanos = periodNanos;
            this.isMeasured = isMeasured;
            this.query = query;
        }

        private void stop(long now) {
            end = now;
            stopped = true;
        }

        /** True if the window ended before this time, or if late queries are left out. */
        private boolean isOver(long due) {
            return stopped && (!isMeasured || due - end > 0);
        }

        /** True if it is too late to send a query of the window. */
        private boolean isTooLate(long now) {
            return stopped && now - end > drainNanos;
        }
    }
}
