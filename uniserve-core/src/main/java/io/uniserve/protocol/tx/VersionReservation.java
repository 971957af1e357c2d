package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.InFlight;
import org.jspecify.annotations.Nullable;

/**
 * The version that a transaction manager has started ahead. The commit of one version also starts the next, so that an update that follows
 * soon needs no write before PREPARE. Only this manager uses it, once and for one content, or releases it. A version that the manager has
 * not certainly started itself counts as another manager's, even if an earlier process of this server started it.
 */
final class VersionReservation {
    private final TransactionConfig config;
    private final ServerId self;
    private long version;
    private boolean giving;
    private long since;
    private boolean resting;
    private long restUntil;

    VersionReservation(TransactionConfig config, ServerId self) {
        this.config = config;
        this.self = self;
    }

    /** True if a commit may start the next version. */
    boolean may(TransactionLogState committed, int actors, long now) {
        resting &= now - restUntil < 0;
        return config.beginsAhead()
                && !resting
                && actors <= Limits.AHEAD_ACTORS_MAX
                && aborts(committed) < Limits.AHEAD_ABORTS_MAX
                && !TransactionLogTransitions.crowded(
                        committed) // the next start has to move decisions, which commits do not
                && !TransactionLogTransitions.full(committed);
    }

    /** Number of aborted versions that were started ahead and that some actor has not logged. */
    private static long aborts(TransactionLogState log) {
        return log.decisions().stream()
                .filter(decision ->
                        decision.batches().isEmpty() && !decision.unacked().isEmpty())
                .count();
    }

    /** Called when a commit is sent that also starts this version. */
    void sent(long begun, long now) {
        version = begun;
        giving = false;
        since = now;
    }

    /** Called when the version is used, was released, or was never started. */
    void done() {
        version = 0;
        giving = false;
    }

    /** Called when a write is sent that releases the version. The write may be applied late, so the version must not be used any more. */
    void give() {
        giving = true;
    }

    /** True if no version is held, or it was held for longer than the manager waits for an update. */
    boolean idle(long now) {
        return version == 0 || now - since >= config.aheadNanos();
    }

    boolean held() {
        return version != 0;
    }

    /** True for the version that this manager has started and not used yet. */
    boolean is(@Nullable InFlight flight) {
        return !giving && begunHere(flight);
    }

    /** The same, but also true for a version that is being released. */
    boolean begunHere(@Nullable InFlight flight) {
        return version != 0
                && flight != null
                && flight.ahead()
                && flight.version() == version
                && flight.driver().equals(self);
    }

    /** Called with the version in flight. If it is not the held one, another manager has aborted that. */
    void missed(@Nullable InFlight flight, long now) {
        if (version != 0 && !begunHere(flight)) {
            done();
            rest(now);
        }
    }

    /** Called when another manager writes to the table too: starts no version ahead for a while. */
    void rest(long now) {
        resting = true;
        restUntil = now + config.restNanos();
    }
}
