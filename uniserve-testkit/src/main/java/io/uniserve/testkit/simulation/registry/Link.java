package io.uniserve.testkit.simulation.registry;

import io.uniserve.testkit.simulation.kernel.EventQueue;
import io.uniserve.testkit.simulation.kernel.Prng;

/**
 * The connection under a session: while it is away the ensemble counts the session down, and the client tries again. A
 * session that was counted out is told so at the next connection.
 */
public final class Link {
    /** Session time-out. */
    public static final long SESSION_TIMEOUT_NANOS = 6_000_000_000L;

    private static final long RETRY_MIN_NANOS = 20_000_000;
    private static final long RETRY_SPREAD_NANOS = 300_000_000;

    private final RegistrySession session;
    private final EventQueue queue;
    private final Prng random;
    private final Ensemble ensemble;
    private boolean cut;
    private boolean parted;
    private boolean expired;
    private int episode;

    Link(RegistrySession session, EventQueue queue, Prng random, Ensemble ensemble) {
        this.session = session;
        this.queue = queue;
        this.random = random;
        this.ensemble = ensemble;
    }

    /** True when the ensemble handles what the session sends now. */
    boolean serves() {
        return ensemble.up() && !cut && !expired;
    }

    /** True when the client is connected, and what it sends is handled. */
    public boolean reaches() {
        return session.connected() && serves() && !parted;
    }

    /** True when what answers the session is cut off from the rest of the ensemble. */
    boolean parted() {
        return parted;
    }

    /**
     * The follower that the client talks to is cut off from its leader: it answers reads from what it knows, and nothing else,
     * until it notices, which ends the connection.
     */
    public void part(long noticedAfterNanos) {
        if (!parted && session.connected() && serves()) {
            parted = true;
            countdown();
            int on = episode;
            queue.after(noticedAfterNanos, () -> {
                if (on == episode) {
                    reset();
                }
            });
        }
    }

    /** The client begins without a connection. */
    void connect() {
        retry();
    }

    /** The connection breaks and the client notices; it tries again. */
    public void reset() {
        if (session.connected()) {
            parted = false;
            session.disconnected();
            countdown();
            retry();
        }
    }

    /** Messages in both directions are lost until {@link #heal}; the client notices after a while. */
    public void cut() {
        if (!cut) {
            cut = true;
            countdown();
            int on = episode;
            queue.after(random.below(SESSION_TIMEOUT_NANOS * 2 / 3), () -> {
                if (on == episode) {
                    reset();
                }
            });
        }
    }

    /** Ends a cut. Requests that were lost in it are noticed now. */
    public void heal() {
        if (cut || parted) {
            cut = false;
            if (session.connected()) {
                reset();
            }
            parted = false;
        }
    }

    /** The ensemble ends the session now; its client learns of it with the next connection. */
    public void expireNow() {
        if (!expired && session.running()) {
            episode++;
            expire();
        }
    }

    /** The process was killed: the ensemble finds out by counting down. */
    public void crashed() {
        countdown();
    }

    /** The process is stopped and sends no heartbeats. */
    public void paused() {
        countdown();
    }

    /** The process runs again; a session that was not counted out goes on. */
    public void resumed() {
        if (session.connected() && !cut && !expired) {
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
        parted = false;
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
            if (cut || !ensemble.up() || session.frozen()) {
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
