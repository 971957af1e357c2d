package io.uniserve.protocol.reader;

import io.uniserve.model.ServerId;

/** How long a query waits for a server before it asks another one too, by the latencies of queries of its kind. */
final class HedgeDelay {
    private static final int PLAN_PATIENCE = 4;

    private final ClientState state;
    private final String kind;

    /** {@code kind} names the latencies to go by. */
    HedgeDelay(ClientState state, String kind) {
        this.state = state;
        this.kind = kind;
    }

    /** A request was answered after so long. */
    void answeredAfter(long nanos) {
        state.latencies().of(kind).record(nanos);
    }

    /** A request is hedged after so long: the 95th percentile, within bounds. */
    long hedgeDelay() {
        long p95 = state.latencies().of(kind).p95Nanos();
        return p95 < 0
                ? state.settings().hedgeColdNanos()
                : Math.max(state.settings().hedgeMinNanos(), p95);
    }

    /**
     * A plan is asked for elsewhere after so long. That is more patience than a read gets: another plan repeats the work of
     * all its servers, and slow reads are hedged by the plan itself, so only a slow planner is worth it. A third of the time
     * that is left is the most, if a read would not wait longer: another planner needs time too.
     */
    long planHedgeDelay(long remainingNanos) {
        long delay = hedgeDelay();
        return Math.min(PLAN_PATIENCE * delay, Math.max(delay, remainingNanos / 3));
    }

    /** A server that answers nothing for so long is silent. */
    long silence() {
        return Math.max(state.settings().silenceNanos(), 4 * hedgeDelay());
    }

    /** True, and counted as the server's failure, where it has answered nothing since a request was sent long ago. */
    boolean silent(ServerId server, long sentNanos, long now) {
        boolean silent = now - sentNanos >= silence() && !state.health().answeredSince(server, sentNanos);
        if (silent) {
            state.health().failed(server, now);
        }
        return silent;
    }

    /** Judges a server whose request lost: silence while others answered counts as its failure, sooner than else. */
    void judge(ServerId server, long sentNanos, long now) {
        boolean longAgo = now - sentNanos >= state.settings().silenceNanos() / 2;
        if (longAgo && !state.health().answeredSince(server, sentNanos)) {
            state.health().failed(server, now);
        }
    }
}
