package io.uniserve.protocol.replica;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import org.jspecify.annotations.Nullable;

/** A stop of the engine right after one index, where its digest is taken. At most one at a time; the newest wish counts. */
final class DigestStop {
    private @Nullable Completion<Bytes> completion;
    private long index;
    private long until;

    void want(long wanted, long untilNanos, Completion<Bytes> told) {
        fail("another digest is wanted");
        index = wanted;
        until = untilNanos;
        completion = told;
    }

    boolean any() {
        return completion != null;
    }

    /** How many of these entries may follow the one that is applied. */
    int most(long applied, int entries) {
        return completion == null || applied >= index ? entries : (int) Math.min(entries, index - applied);
    }

    /** The digest to take now, once; null where it is not the time. */
    @Nullable
    Completion<Bytes> due(long applied, boolean settled) {
        Completion<Bytes> now = completion;
        if (now == null || applied < index) {
            return null;
        }
        if (applied > index || !settled) {
            fail(
                    applied > index
                            ? "index " + index + " is passed, the engine is at " + applied
                            : "an atomic update is under way at index " + index);
            return null;
        }
        completion = null;
        return now;
    }

    void tick(long now, long applied) {
        if (completion != null && now - until >= 0) {
            fail("index " + index + " was not reached, the engine is at " + applied);
        }
    }

    void fail(String why) {
        Completion<Bytes> told = completion;
        completion = null;
        if (told != null) {
            told.done(Outcome.err(new UniserveException(ErrorCode.UNAVAILABLE, "no digest: " + why)));
        }
    }
}
