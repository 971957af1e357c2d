package io.uniserve.protocol.gate;

import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import java.util.Optional;

/**
 * Conditions under which a replica may answer reads. The server's event loop publishes them, and read threads check them without the loop:
 * before the state is taken, and again before the reply, with a new reading of the clock (docs/protocol.md, section 4). Immutable.
 *
 * @param epoch installed epoch
 * @param serving true if the replica is in the in-sync set of that epoch and its engine is ready
 * @param leaseUntilNanos end of the server's read lease for the table, by this server's clock
 * @param appliedIndex last log index that is applied and published
 * @param inDoubtVersion the oldest version in doubt here, that is, prepared and with an outcome that readers do not see yet; 0 for none
 * @param committedVersion the newest version that is committed and published here, 0 for none
 * @param builtNanos time at which the engine's actor was built, by this server's clock. Another value means another build, which a reader
 *     may have seen before all entries were applied to it
 * @param generation chunk generation of the server's map of a TIME table. It and the lease are published together, so a reader that finds
 *     the lease valid knows that no row of a chunk of a later generation was acknowledged before
 */
public record ReadGate(
        int actor,
        long epoch,
        boolean serving,
        long leaseUntilNanos,
        long appliedIndex,
        long inDoubtVersion,
        long committedVersion,
        long builtNanos,
        long generation) {
    /** Gate of an actor of a table without chunks. */
    public ReadGate(
            int actor,
            long epoch,
            boolean serving,
            long leaseUntilNanos,
            long appliedIndex,
            long inDoubtVersion,
            long committedVersion,
            long builtNanos) {
        this(actor, epoch, serving, leaseUntilNanos, appliedIndex, inDoubtVersion, committedVersion, builtNanos, 0);
    }

    /** Gate of an actor of an eventual table. */
    public ReadGate(int actor, long epoch, boolean serving, long leaseUntilNanos, long appliedIndex) {
        this(actor, epoch, serving, leaseUntilNanos, appliedIndex, 0, 0, 0, 0);
    }

    /** The error with which a read must fail now; empty if it may proceed. */
    public Optional<ActorFailure> check(ReadRequest.Target target, ReadMode mode, long nowNanos) {
        if (mode == ReadMode.STALE) {
            return Optional.empty();
        }
        if (target.epoch() != epoch) {
            return failure(ErrorCode.STALE_EPOCH, "epoch " + target.epoch() + " requested, " + epoch + " installed");
        }
        if (!serving) {
            return failure(ErrorCode.UNAVAILABLE, "replica is not in sync");
        }
        if (target.floorIndex() > appliedIndex) {
            return failure(ErrorCode.BEHIND, "index " + target.floorIndex() + " needed, " + appliedIndex + " applied");
        }
        if (nowNanos - leaseUntilNanos >= 0) {
            return failure(ErrorCode.LEASE_EXPIRED, "the server's read lease has expired");
        }
        return Optional.empty();
    }

    /**
     * The same for a STRICT read. It requests a version that was committed while the map had the target's epoch. So every replica in sync
     * in that epoch has the version, with or without a lease.
     */
    public Optional<ActorFailure> checkStrict(ReadRequest.Target target) {
        return check(target, ReadMode.LINEARIZABLE, leaseUntilNanos - 1);
    }

    /**
     * The second check, after the state was taken under {@code first}: same epoch, same build of the engine, still serving, lease still
     * valid.
     */
    public Optional<ActorFailure> checkAfter(ReadGate first, ReadRequest.Target target, ReadMode mode, long nowNanos) {
        if (mode == ReadMode.STALE) {
            return Optional.empty();
        }
        Optional<ActorFailure> refusal =
                check(new ReadRequest.Target(target.actor(), first.epoch, target.floorIndex()), mode, nowNanos);
        return refusal.isPresent() ? refusal : checkNotRebuilt(first);
    }

    /** Fails if the engine was rebuilt since {@code first}: the state may lack a part of the rows. */
    Optional<ActorFailure> checkNotRebuilt(ReadGate first) {
        return builtNanos == first.builtNanos
                ? Optional.empty()
                : failure(ErrorCode.UNAVAILABLE, "the replica's engine was rebuilt during the read");
    }

    private Optional<ActorFailure> failure(ErrorCode code, String message) {
        return Optional.of(new ActorFailure(actor, code, message, epoch));
    }
}
