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
 * One actor's part of a read of one version, from the request to the answer (docs/protocol.md, section 4). First, before it is made, what
 * the server knows to be committed; then the actor's gate; then its doubts; then the state and with it the version through which the
 * answer is complete; last the gate again, by a fresh reading of the clock.
 *
 * <p>It decides, and does nothing: who drives it, a server's worker threads or the simulator, looks at gates and clock, has doubts
 * settled and takes states. Steps out of this order are errors of the driver. For one thread at a time.
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

    /** What is to be done for an actor whose gate was seen. */
    public enum Next {
        /** Nothing: it is refused. */
        NOTHING,
        /** Have its doubts settled, then take its state. */
        SETTLE,
        /** Take its state. */
        TAKE
    }

    /** @param known the newest version of the table that the server knew to be committed when the request came, 0 for none */
    public ActorSnapshotRead(VersionedRead request, VersionedRead.Target target, long known) {
        this.request = request;
        this.target = target;
        this.known = known;
    }

    /** The actor asked for. */
    public int actor() {
        return target.actor();
    }

    /** First. */
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
     * Every version in doubt that matters to it is applied, was in flight after the request had come, or is open, which the asker
     * must be told.
     */
    public void settled(InDoubtResolution how) {
        pass(Step.DOUBTFUL, Step.ADMITTED);
        doubts = how;
    }

    /**
     * The answer of a request's shares, with what they leave open and what is denied.
     *
     * @param denials what this server's driver denied when the request came and now, 0 for nothing: where the asker looks for denials it
     *     is told of them, as others may be in doubt where these actors are not
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

    /** Which version to take: 0 for the newest. */
    public long wanted() {
        return request.at();
    }

    /**
     * A state was taken that has its actor's versions up to this one and none above it up to the one wanted. False where it is not
     * the one asked for: before its first version a strict read wants a state without any.
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

    /** The state asked for is not kept any more. */
    public void gone() {
        fail(new ActorFailure(
                target.actor(),
                ErrorCode.VERSION_GONE,
                "the state at version " + request.at() + " is not kept here any more",
                0));
    }

    /** It is not answered, for a reason of the driver's. */
    public void fail(ActorFailure why) {
        failure = why;
        step = Step.OVER;
    }

    /** Last, when the answer is there: why it may not be given; empty where it may. */
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

    /** Why it is not answered; empty for one that is, or is still under way. */
    public Optional<ActorFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** The version through which its answer is complete. */
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
