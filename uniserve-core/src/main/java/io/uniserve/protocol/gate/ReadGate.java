package io.uniserve.protocol.gate;

import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadRequest;
import java.util.Optional;

/**
 * What a replica may answer from, published by the server's loop and checked by read workers without it: before the
 * snapshot is taken and, last, with a fresh reading of the clock, before the reply (docs/protocol.md, section 4).
 *
 * @param epoch the installed epoch
 * @param serving the replica is in the ISR of that epoch and its engine is ready
 * @param leaseUntilNanos end of the server's read lease on the table, on this server's clock
 * @param appliedIndex last log index applied and published
 * @param doubt the oldest version that is prepared here and whose outcome readers do not see yet, 0 for none
 * @param committed the newest version that is committed and published here, 0 for none
 * @param builtNanos when the engine's actor was built, on this server's clock: with another number it is another one, which a
 *     reader may have seen before it had all that was applied
 */
public record ReadGate(
        int actor,
        long epoch,
        boolean serving,
        long leaseUntilNanos,
        long appliedIndex,
        long doubt,
        long committed,
        long builtNanos) {
    /** Of an actor of an eventual table. */
    public ReadGate(int actor, long epoch, boolean serving, long leaseUntilNanos, long appliedIndex) {
        this(actor, epoch, serving, leaseUntilNanos, appliedIndex, 0, 0, 0);
    }

    /** Why the target cannot be answered now; empty if it can. */
    public Optional<ActorFailure> refuse(ReadRequest.Target target, ReadMode mode, long nowNanos) {
        if (mode == ReadMode.STALE) {
            return Optional.empty();
        }
        if (target.epoch() != epoch) {
            return failure(ErrorCode.STALE_EPOCH, "epoch " + target.epoch() + " asked, " + epoch + " installed");
        }
        if (!serving) {
            return failure(ErrorCode.UNAVAILABLE, "replica is not in sync");
        }
        if (target.floorIndex() > appliedIndex) {
            return failure(ErrorCode.BEHIND, "index " + target.floorIndex() + " asked, " + appliedIndex + " applied");
        }
        if (nowNanos - leaseUntilNanos >= 0) {
            return failure(ErrorCode.LEASE_EXPIRED, "the server's read lease has run out");
        }
        return Optional.empty();
    }

    /**
     * The same for a strict read, which asks for a version that was committed while the target's epoch was that of the map: who
     * was in sync then has it, whether or not its lease runs.
     */
    public Optional<ActorFailure> refuseStrict(ReadRequest.Target target) {
        return refuse(target, ReadMode.LINEARIZABLE, leaseUntilNanos - 1);
    }

    /**
     * The second check, after the snapshot was taken under {@code first}: same epoch, same engine, still serving, lease still
     * valid.
     */
    public Optional<ActorFailure> refuseAfter(ReadGate first, ReadRequest.Target target, ReadMode mode, long nowNanos) {
        if (mode == ReadMode.STALE) {
            return Optional.empty();
        }
        Optional<ActorFailure> refusal =
                refuse(new ReadRequest.Target(target.actor(), first.epoch, target.floorIndex()), mode, nowNanos);
        return refusal.isPresent() ? refusal : refuseRebuilt(first);
    }

    /** What was taken since {@code first} may be of an engine that was being built again, with a part of what it had. */
    Optional<ActorFailure> refuseRebuilt(ReadGate first) {
        return builtNanos == first.builtNanos
                ? Optional.empty()
                : failure(ErrorCode.UNAVAILABLE, "the replica's engine was built anew meanwhile");
    }

    private Optional<ActorFailure> failure(ErrorCode code, String message) {
        return Optional.of(new ActorFailure(actor, code, message, epoch));
    }
}
