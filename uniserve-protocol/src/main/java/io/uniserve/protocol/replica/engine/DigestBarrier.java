package io.uniserve.protocol.replica.engine;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * Stop of the engine at one index, where its digest is taken. There is at most one stop at a time; a newer request replaces an older one.
 */
final class DigestBarrier {
    private @Nullable Completion<Bytes> completion;
    private long index;
    private long until;

    void requestDigest(long wanted, long untilNanos, Completion<Bytes> told) {
        fail("a newer request replaced this one");
        index = wanted;
        until = untilNanos;
        completion = told;
    }

    boolean isPending() {
        return completion != null;
    }

    /** Number of these entries that the engine may apply before the stop. */
    int maxEntries(long applied, int entries) {
        return completion == null || applied >= index ? entries : (int) Math.min(entries, index - applied);
    }

    /** The request whose digest must be taken now, returned once; null if there is none. */
    @Nullable
    Completion<Bytes> takeDue(long applied, boolean settled) {
        Completion<Bytes> now = completion;
        if (now == null || applied < index) {
            return null;
        }
        if (applied > index || !settled) {
            fail(
                    applied > index
                            ? "index " + index + " has passed, the engine is at " + applied
                            : "an atomic update is in progress at index " + index);
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
