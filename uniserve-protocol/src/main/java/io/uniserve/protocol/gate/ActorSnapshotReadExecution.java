package io.uniserve.protocol.gate;

import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.ReadMode;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State machine of one actor's part of a read at one version, from request to answer (docs/protocol.md, section 4). Its steps are, in this
 * order: note the newest version that the server knows to be committed; check the gate; resolve a version in doubt; take the state, and
 * with it the version up to which the answer is complete; check the gate again, with a new reading of the clock.
 *
 * <p>It only decides. The caller, a server's read thread or the simulator, reads gate and clock, resolves versions in doubt and takes
 * states. A call out of order throws IllegalStateException. Not thread-safe.
 */
public final class ActorSnapshotReadExecution {
    private final VersionedRead request;
    private final VersionedRead.Target target;
    private final long newestCommitted;
    private Step step = Step.CREATED;
    private long takenVersion;
    private long generation;
    private @Nullable ReadGate first;
    private @Nullable ActorFailure failure;
    private InDoubtResolution resolution = InDoubtResolution.NOTHING_OMITTED;

    private enum Step {
        CREATED,
        IN_DOUBT,
        ADMITTED,
        TAKEN,
        ENDED
    }

    /** The caller's next action after the first check. */
    public enum Next {
        /** None: the read of this actor has failed. */
        NONE,
        /** Resolve the version in doubt, then take the state. */
        RESOLVE,
        /** Take the state. */
        TAKE
    }

    /** @param known the newest version of the table that the server knew to be committed when the request arrived, 0 for none */
    public ActorSnapshotReadExecution(VersionedRead request, VersionedRead.Target target, long known) {
        this.request = request;
        this.target = target;
        this.newestCommitted = known;
    }

    /** The actor to read. */
    public int actor() {
        return target.actor();
    }

    /** First step: checks the gate. */
    public Next admit(ReadGate gate, long nowNanos) {
        advance(Step.CREATED, Step.ADMITTED);
        first = gate;
        Optional<ActorFailure> refusal = gateError(gate, nowNanos);
        if (refusal.isPresent()) {
            fail(refusal.get());
            return Next.NONE;
        }
        boolean doubtful =
                gate.inDoubtVersion() != 0 && (request.isNewest() || gate.inDoubtVersion() <= request.version());
        if (doubtful) {
            step = Step.IN_DOUBT;
        }
        return doubtful ? Next.RESOLVE : Next.TAKE;
    }

    /**
     * Called when every version in doubt that concerns the read is resolved. It is applied, was in flight after the request arrived, or is
     * left open, which the reply reports.
     */
    public void onResolved(InDoubtResolution how) {
        advance(Step.IN_DOUBT, Step.ADMITTED);
        resolution = how;
    }

    /**
     * Builds the reply from all actors' parts, with the versions that they leave open or omit by a claim.
     *
     * @param denials versions that this server's manager claimed as not visible, when the request arrived and now; 0 for none. The reply
     *     has them if the request defers, because the versions may be in doubt at other actors
     */
    public static VersionedRead.Reply reply(
            VersionedRead request,
            List<ActorSnapshotReadExecution> shares,
            List<VersionedRead.Part> parts,
            List<ActorFailure> failures,
            List<Long> denials) {
        TreeSet<Long> open = new TreeSet<>();
        TreeSet<Long> denied = new TreeSet<>();
        long generation = 0;
        for (ActorSnapshotReadExecution share : shares) {
            share.resolution.addTo(open, denied);
            generation = Math.max(generation, share.generation);
        }
        if (request.acceptsOpenVersions()) {
            denied.addAll(denials);
            denied.remove(0L);
        }
        return new VersionedRead.Reply(parts, failures, List.copyOf(open), List.copyOf(denied), generation);
    }

    /** The version to take; 0 for the newest. */
    public long requestedVersion() {
        return request.version();
    }

    /**
     * Called with the version of the taken state, the newest one at or below the wanted version. Returns false if it is not the wanted
     * state: a STRICT read before the first version needs a state without any version.
     */
    public boolean onStateTaken(long version) {
        advance(Step.ADMITTED, Step.TAKEN);
        if (request.strict() && version > request.version()) {
            failVersionGone();
            return false;
        }
        takenVersion = request.isNewest() ? Math.max(newestCommitted, version) : request.version();
        return true;
    }

    /** Fails the read, because the wanted state is no longer kept. */
    public void failVersionGone() {
        fail(new ActorFailure(
                target.actor(),
                ErrorCode.VERSION_GONE,
                "the state at version " + request.version() + " is no longer kept by this replica",
                0));
    }

    /** Fails the read with an error of the caller. */
    public void fail(ActorFailure why) {
        failure = why;
        step = Step.ENDED;
    }

    /** Last step, when the answer is complete: checks the gate again. Returns the error, or empty if the answer may be sent. */
    public Optional<ActorFailure> confirm(ReadGate gate, long nowNanos) {
        Optional<ActorFailure> refusal = gateError(gate, nowNanos);
        if (refusal.isEmpty() && first != null) {
            refusal = gate.checkNotRebuilt(first);
        }
        if (refusal.isPresent()) {
            fail(refusal.get());
        } else if (failure == null) {
            advance(Step.TAKEN, Step.ENDED);
            // the version of the answer was known before this check
            generation = request.strict() ? 0 : gate.generation();
        }
        return failure();
    }

    /** The error of this read; empty if it has succeeded or is under way. */
    public Optional<ActorFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** The version up to which the answer is complete. */
    public long completeVersion() {
        if (step != Step.TAKEN && step != Step.ENDED || failure != null) {
            throw new IllegalStateException("no state of actor " + target.actor() + " was taken");
        }
        return takenVersion;
    }

    private Optional<ActorFailure> gateError(ReadGate gate, long nowNanos) {
        ReadRequest.Target asked = new ReadRequest.Target(target.actor(), target.epoch(), 0);
        return request.strict() ? gate.checkStrict(asked) : gate.check(asked, ReadMode.LINEARIZABLE, nowNanos);
    }

    private void advance(Step from, Step to) {
        if (step != from) {
            throw new IllegalStateException("actor " + target.actor() + " is " + step + ", not " + from);
        }
        step = to;
    }
}
