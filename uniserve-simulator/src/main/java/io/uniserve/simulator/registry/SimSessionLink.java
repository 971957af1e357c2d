package io.uniserve.simulator.registry;

import io.uniserve.simulator.kernel.EventQueue;
import io.uniserve.simulator.kernel.Prng;

/**
 * Connection of a session. While it is broken, the ensemble counts down the session timeout and the client reconnects. The client of an
 * expired session gets the expiry with its next connection.
 */
public final class SimSessionLink {
    /** Session timeout. */
    public static final long SESSION_TIMEOUT_NANOS = 6_000_000_000L;

    private static final long RETRY_MIN_NANOS = 20_000_000;
    private static final long RETRY_SPREAD_NANOS = 300_000_000;

    private final SimRegistrySession session;
    private final EventQueue queue;
    private final Prng random;
    private final SimEnsemble ensemble;
    private boolean disconnected;
    private boolean partitioned;
    private boolean expired;
    private int episode;

    SimSessionLink(SimRegistrySession session, EventQueue queue, Prng random, SimEnsemble ensemble) {
        this.session = session;
        this.queue = queue;
        this.random = random;
        this.ensemble = ensemble;
    }

    /** True if the ensemble handles requests of the session now. */
    boolean isServing() {
        return ensemble.up() && !disconnected && !expired;
    }

    /** True if the client is connected and its requests are handled. */
    public boolean isReachable() {
        return session.connected() && isServing() && !partitioned;
    }

    /** True if the session's follower is separated from the rest of the ensemble. */
    boolean isPartitioned() {
        return partitioned;
    }

    /**
     * Separates the client's follower from its leader. The follower answers reads from its old state, and nothing else, until it detects
     * the separation and closes the connection.
     *
     * @param noticedAfterNanos time until the detection
     */
    public void partition(long noticedAfterNanos) {
        if (!partitioned && session.connected() && isServing()) {
            partitioned = true;
            countdown();
            int on = episode;
            queue.after(noticedAfterNanos, () -> {
                if (on == episode) {
                    reset();
                }
            });
        }
    }

    /** Starts the client without a connection. */
    void connect() {
        retry();
    }

    /** Breaks the connection. The client detects it and reconnects. */
    public void reset() {
        if (session.connected()) {
            partitioned = false;
            session.disconnected();
            countdown();
            retry();
        }
    }

    /** Loses messages in both directions until {@link #heal}. The client detects it after a while. */
    public void disconnect() {
        if (!disconnected) {
            disconnected = true;
            countdown();
            int on = episode;
            queue.after(random.below(SESSION_TIMEOUT_NANOS * 2 / 3), () -> {
                if (on == episode) {
                    reset();
                }
            });
        }
    }

    /** Ends {@link #disconnected} and {@link #partition}. The client detects lost requests now. */
    public void heal() {
        if (disconnected || partitioned) {
            disconnected = false;
            if (session.connected()) {
                reset();
            }
            partitioned = false;
        }
    }

    /** Expires the session now. Its client gets the expiry with the next connection. */
    public void expireNow() {
        if (!expired && session.running()) {
            episode++;
            expire();
        }
    }

    /** Called when the process is killed. The ensemble detects it by the session timeout. */
    public void crashed() {
        countdown();
    }

    /** Called when the process is paused, so that it sends no heartbeats. */
    public void paused() {
        countdown();
    }

    /** Called when the process continues. A session that has not expired stays valid. */
    public void resumed() {
        if (session.connected() && !disconnected && !expired) {
            episode++;
        }
    }

    private void countdown() {
        int on = ++episode;
        long left = SESSION_TIMEOUT_NANOS - random.below(SESSION_TIMEOUT_NANOS / 3);
        queue.after(left, () -> countedDown(on));
    }

    private void countedDown(int on) {
        if (on != episode || expired) {
            return;
        }
        if (!ensemble.up()) {
            queue.after(SESSION_TIMEOUT_NANOS, () -> countedDown(on));
            return;
        }
        expire();
    }

    private void expire() {
        expired = true;
        partitioned = false;
        ensemble.expire(session.session());
        if (session.running() && session.connected()) {
            session.disconnected();
            retry();
        }
    }

    private void retry() {
        queue.after(RETRY_MIN_NANOS + random.below(RETRY_SPREAD_NANOS), () -> {
            if (!session.running() || session.connected()) {
                return;
            }
            if (disconnected || !ensemble.up() || session.frozen()) {
                retry();
                return;
            }
            episode++;
            boolean ended = expired;
            expired = false;
            session.reconnected(ended);
        });
    }
}
