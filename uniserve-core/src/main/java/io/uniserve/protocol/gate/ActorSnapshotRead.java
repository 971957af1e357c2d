package io.uniserve.protocol.gate;

import io.uniserve.error.ErrorCode;
import io.uniserve.protocol.message.ActorFailure;
import io.uniserve.protocol.message.ReadMode;
import io.uniserve.protocol.message.ReadRequest;
import io.uniserve.protocol.message.VersionedRead;
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
public final class ActorSnapshotRead {
    private final VersionedRead request;
    private final VersionedRead.Target target;
    private final long known;
    private Step step = Step.MADE;
    private long at;
    private @Nullable ReadGate first;
    private @Nullable ActorFailure failure;
    private InDoubtResolution doubts = InDoubtResolution.ALL;

    private enum Step {
        MADE,
        DOUBTFUL,
        ADMITTED,
        TAKEN,
        OVER
    }

    /** The caller's next action after the first check. */
    public enum Next {
        /** None: the read of this actor has failed. */
        NOTHING,
        /** Resolve the version in doubt, then take the state. */
        SETTLE,
        /** Take the state. */
        TAKE
    }

    /** @param known the newest version of the table that the server knew to be committed when the request arrived, 0 for none */
    public ActorSnapshotRead(VersionedRead request, VersionedRead.Target target, long known) {
        this.request = request;
        this.target = target;
        this.known = known;
    }

    /** The actor to read. */
    public int actor() {
        return target.actor();
    }

    /** First step: checks the gate. */
    public Next admit(ReadGate gate, long nowNanos) {
        pass(Step.MADE, Step.ADMITTED);
        first = gate;
        Optional<ActorFailure> refusal = refusal(gate, nowNanos);
        if (refusal.isPresent()) {
            fail(refusal.get());
            return Next.NOTHING;
        }
        boolean doubtful = gate.doubt() != 0 && (request.newest() || gate.doubt() <= request.at());
        if (doubtful) {
            step = Step.DOUBTFUL;
        }
        return doubtful ? Next.SETTLE : Next.TAKE;
    }

    /**
     * Called when every version in doubt that concerns the read is resolved. It is applied, was in flight after the request arrived, or is
     * left open, which the reply reports.
     */
    public void settled(InDoubtResolution how) {
        pass(Step.DOUBTFUL, Step.ADMITTED);
        doubts = how;
    }

    /**
     * Builds the reply from all actors' parts, with the versions that they leave open or omit by a claim.
     *
     * @param denials versions that this server's manager claimed as not visible, when the request arrived and now; 0 for none. The reply
     *     has them if the request defers, because the versions may be in doubt at other actors
     */
    public static VersionedRead.Reply reply(
            VersionedRead request,
            List<ActorSnapshotRead> shares,
            List<VersionedRead.Part> parts,
            List<ActorFailure> failures,
            List<Long> denials) {
        TreeSet<Long> open = new TreeSet<>();
        TreeSet<Long> denied = new TreeSet<>();
        shares.forEach(share -> share.doubts.addTo(open, denied));
        if (request.defers()) {
            denied.addAll(denials);
            denied.remove(0L);
        }
        return new VersionedRead.Reply(parts, failures, List.copyOf(open), List.copyOf(denied));
    }

    /** The version to take; 0 for the newest. */
    public long wanted() {
        return request.at();
    }

    /**
     * Called with the version of the taken state, the newest one at or below the wanted version. Returns false if it is not the wanted
     * state: a STRICT read before the first version needs a state without any version.
     */
    public boolean take(long version) {
        pass(Step.ADMITTED, Step.TAKEN);
        if (request.strict() && version > request.at()) {
            gone();
            return false;
        }
        at = request.newest() ? Math.max(known, version) : request.at();
        return true;
    }

    /** Fails the read, because the wanted state is no longer kept. */
    public void gone() {
        fail(new ActorFailure(
                target.actor(),
                ErrorCode.VERSION_GONE,
                "the state at version " + request.at() + " is no longer kept by this replica",
                0));
    }

    /** Fails the read with an error of the caller. */
    public void fail(ActorFailure why) {
        failure = why;
        step = Step.OVER;
    }

    /** Last step, when the answer is complete: checks the gate again. Returns the error, or empty if the answer may be sent. */
    public Optional<ActorFailure> confirm(ReadGate gate, long nowNanos) {
        Optional<ActorFailure> refusal = refusal(gate, nowNanos);
        if (refusal.isEmpty() && first != null) {
            refusal = gate.refuseRebuilt(first);
        }
        if (refusal.isPresent()) {
            fail(refusal.get());
        } else if (failure == null) {
            pass(Step.TAKEN, Step.OVER);
        }
        return failure();
    }

    /** The error of this read; empty if it has succeeded or is under way. */
    public Optional<ActorFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** The version up to which the answer is complete. */
    public long at() {
        if (step != Step.TAKEN && step != Step.OVER || failure != null) {
            throw new IllegalStateException("no state of actor " + target.actor() + " was taken");
        }
        return at;
    }

    private Optional<ActorFailure> refusal(ReadGate gate, long nowNanos) {
        ReadRequest.Target asked = new ReadRequest.Target(target.actor(), target.epoch(), 0);
        return request.strict() ? gate.refuseStrict(asked) : gate.refuse(asked, ReadMode.LINEARIZABLE, nowNanos);
    }

    private void pass(Step from, Step to) {
        if (step != from) {
            throw new IllegalStateException("actor " + target.actor() + " is " + step + ", not " + from);
        }
        step = to;
    }
}
