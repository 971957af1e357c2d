package io.uniserve.protocol.tx;

import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.TransactionLogState;
import io.uniserve.model.TransactionLogState.InFlight;
import org.jspecify.annotations.Nullable;

/**
 * The version that a driver has begun ahead: the write that commits a version begins the next one too, so that an update that
 * comes soon needs no write of its own before it is prepared. This very driver uses it once, for one content, or gives it back.
 * Whatever it does not know for certain to have begun itself is another's, be it of an earlier life of its own server.
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

    /** True where a commit may begin the next version. */
    boolean may(TransactionLogState committed, int actors, long now) {
        resting &= now - restUntil < 0;
        return config.beginsAhead()
                && !resting
                && actors <= Limits.AHEAD_ACTORS_MAX
                && aborts(committed) < Limits.AHEAD_ABORTS_MAX
                && !TransactionLogTransitions.crowded(
                        committed) // the next beginning moves decisions, which commits do not
                && !TransactionLogTransitions.full(committed);
    }

    /** Of versions begun ahead that some actor has not logged. */
    private static long aborts(TransactionLogState log) {
        return log.decisions().stream()
                .filter(decision ->
                        decision.batches().isEmpty() && !decision.unacked().isEmpty())
                .count();
    }

    /** A commit is sent that begins this version too. */
    void sent(long begun, long now) {
        version = begun;
        giving = false;
        since = now;
    }

    /** It is used now, or was given back, or was never begun. */
    void done() {
        version = 0;
        giving = false;
    }

    /** A write is sent that gives it back. It may be applied late: the version is not to be used, whatever becomes of the write. */
    void give() {
        giving = true;
    }

    /** True where nothing is held, or was held for longer than updates are waited for. */
    boolean idle(long now) {
        return version == 0 || now - since >= config.aheadNanos();
    }

    boolean held() {
        return version != 0;
    }

    /** True for the version that this driver has begun and not used yet. */
    boolean is(@Nullable InFlight flight) {
        return !giving && begunHere(flight);
    }

    /** The same, or true for one that is to be given back. */
    boolean begunHere(@Nullable InFlight flight) {
        return version != 0
                && flight != null
                && flight.ahead()
                && flight.version() == version
                && flight.driver().equals(self);
    }

    /** Nothing that was begun here is in flight now: another driver has displaced what was held. */
    void missed(@Nullable InFlight flight, long now) {
        if (version != 0 && !begunHere(flight)) {
            done();
            rest(now);
        }
    }

    /** Another driver writes to the table too. */
    void rest(long now) {
        resting = true;
        restUntil = now + config.restNanos();
    }
}
