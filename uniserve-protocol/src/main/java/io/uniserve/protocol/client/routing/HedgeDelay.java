package io.uniserve.protocol.client.routing;

import io.uniserve.model.ServerId;

/** Delays after which a query is hedged, by the latencies of queries of the same kind. */
public final class HedgeDelay {
    private static final int PLAN_PATIENCE = 4;

    private final ClientState state;
    private final String kind;

    /** @param kind name of the latency statistics to use */
    public HedgeDelay(ClientState state, String kind) {
        this.state = state;
        this.kind = kind;
    }

    /** Records the latency of a request. */
    public void recordLatency(long nanos) {
        state.latencies().of(kind).record(nanos);
    }

    /** Delay before a read is hedged: the 95th percentile, within bounds. */
    public long hedgeDelay() {
        long p95 = state.latencies().of(kind).p95Nanos();
        return p95 < 0
                ? state.settings().hedgeColdNanos()
                : Math.max(state.settings().hedgeMinNanos(), p95);
    }

    /**
     * Delay before a query is sent to another planning server. It is longer than for a read: another plan repeats the work of all servers,
     * and the plan itself hedges slow reads, so only a slow planning server justifies it. It is at most a third of the remaining time,
     * unless a read waits longer, because another planning server needs time too.
     */
    public long planHedgeDelay(long remainingNanos) {
        long delay = hedgeDelay();
        return Math.min(PLAN_PATIENCE * delay, Math.max(delay, remainingNanos / 3));
    }

    /** Time without any reply after which a server counts as silent. */
    public long silenceNanos() {
        return Math.max(state.settings().silenceNanos(), 4 * hedgeDelay());
    }

    /** True if the server has sent no reply since a request that was sent long ago. This then counts as a failure of the server. */
    public boolean recordIfSilent(ServerId server, long sentNanos, long now) {
        boolean silent = now - sentNanos >= silenceNanos() && !state.health().hasRepliedSince(server, sentNanos);
        if (silent) {
            state.health().onFailure(server, now);
        }
        return silent;
    }

    /**
     * Called for a server whose request was beaten by another one. If it has sent no reply for half of the silence time, this counts as a
     * failure.
     */
    public void recordSlowLoser(ServerId server, long sentNanos, long now) {
        boolean longAgo = now - sentNanos >= state.settings().silenceNanos() / 2;
        if (longAgo && !state.health().hasRepliedSince(server, sentNanos)) {
            state.health().onFailure(server, now);
        }
    }
}
