package io.uniserve.protocol.transaction.manager;

import io.uniserve.limit.Limits;
import io.uniserve.model.ServerId;
import io.uniserve.model.registry.TransactionLogState;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.model.registry.TransactionLogState.InFlight;
import io.uniserve.protocol.transaction.TransactionConfig;
import io.uniserve.protocol.transaction.TransactionLogTransitions;
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
    private boolean releasing;
    private long since;
    private boolean paused;
    private long pausedUntil;

    VersionReservation(TransactionConfig config, ServerId self) {
        this.config = config;
        this.self = self;
    }

    /** True if a commit may start the next version. */
    boolean mayReserve(TransactionLogState committed, int actors, long now) {
        paused &= now - pausedUntil < 0;
        return config.reservesVersions()
                && !paused
                && actors <= Limits.AHEAD_ACTORS_MAX
                && unackedAborts(committed) < Limits.AHEAD_ABORTS_MAX
                && !TransactionLogTransitions.needsTrim(
                        committed) // the next start has to move decisions, which commits do not
                && !TransactionLogTransitions.isFull(committed);
    }

    /** Number of aborted versions that were started ahead and that some actor has not logged. */
    private static long unackedAborts(TransactionLogState log) {
        return log.decisions().stream()
                .filter(decision -> decision.batches().isEmpty()
                        && !decision.unackedParticipants().isEmpty())
                .count();
    }

    /** Called when a commit is sent that also starts this version. */
    void onReserveSent(long reservedVersion, long now) {
        version = reservedVersion;
        releasing = false;
        since = now;
    }

    /** Called when the version is used, was released, or was never started. */
    void clear() {
        version = 0;
        releasing = false;
    }

    /** Called when a write is sent that releases the version. The write may be applied late, so the version must not be used any more. */
    void onReleaseSent() {
        releasing = true;
    }

    /** True if no version is held, or it was held for longer than the manager waits for an update. */
    boolean isIdle(long now) {
        return version == 0 || now - since >= config.reservationNanos();
    }

    boolean isHeld() {
        return version != 0;
    }

    /** True for the version that this manager has started and not used yet. */
    boolean isUsable(@Nullable InFlight flight) {
        return !releasing && isOwn(flight);
    }

    /** The same, but also true for a version that is being released. */
    boolean isOwn(@Nullable InFlight flight) {
        return version != 0
                && flight != null
                && flight.isStartedAhead()
                && flight.version() == version
                && flight.manager().equals(self);
    }

    /** True if the update may be in flight: another manager can use a version that it started ahead for any request. */
    boolean mayBeInFlight(@Nullable InFlight flight, Batch batch) {
        return flight != null
                && !isUsable(flight)
                && (flight.isStartedAhead() || flight.batches().contains(batch));
    }

    /** Called with the version in flight. If it is not the held one, another manager has aborted that. */
    void onInFlight(@Nullable InFlight flight, long now) {
        if (version != 0 && !isOwn(flight)) {
            clear();
            pauseReserving(now);
        }
    }

    /** Called when another manager writes to the table too: starts no version ahead for a while. */
    void pauseReserving(long now) {
        paused = true;
        pausedUntil = now + config.reservationPauseNanos();
    }
}
