package io.uniserve.runtime.provider;

import io.uniserve.error.UniserveException;
import java.time.Instant;
import java.util.Optional;

/**
 * Source of notices that the machine of this process is about to be taken away, found by {@link java.util.ServiceLoader}. Its jars are in a
 * folder of their own, so that only servers that name it load them. Calls block, and come from one thread at a time.
 */
public interface InterruptionNotifier {
    /** Value of {@code server.interruption-notices} that names it. */
    String name();

    /**
     * Asks once for a notice, for a few seconds at most.
     *
     * @return the notice, or empty if there is none
     * @throws UniserveException UNAVAILABLE if there is no answer; IO if the answer is none that the source may give; INVALID_CONFIGURATION
     *     with the wrong value
     */
    Optional<Notice> poll();

    /**
     * Notice of an interruption.
     *
     * @param action what happens to the machine, in the source's term, such as {@code terminate}
     * @param time when it happens, at the earliest
     */
    record Notice(String action, Instant time) {}
}
