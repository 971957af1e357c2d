package io.uniserve.client;

import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.client.update.UpdateResult.Failure;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.List;

/**
 * Outcome of an update per actor. Each actor acknowledges all its rows or fails. In an eventual table actors succeed and fail
 * independently; in an atomic table all succeed or all fail. Immutable.
 *
 * @param requestIds ids under which the rows were sent: one, or several in order for an update too large for one message
 * @param acked actors that have acknowledged all their rows, ascending, with the log index or version of the last row
 * @param failed the other actors, ascending. Code OUTCOME_UNKNOWN means that rows may have been applied: send the same rows again
 *     with the same request id to find out
 * @param requests number of requests sent to servers
 * @param retries number of requests that repeated an earlier one
 */
public record UpdateOutcome(
        List<RequestId> requestIds, List<ActorAck> acked, List<Failure> failed, int requests, int retries) {
    private static final int TRIED_MAX = 64;

    public UpdateOutcome {
        requestIds = List.copyOf(requestIds);
        acked = List.copyOf(acked);
        failed = List.copyOf(failed);
    }

    /** True if every actor has acknowledged its rows. */
    public boolean complete() {
        return failed.isEmpty();
    }

    /** Returns this outcome if it is complete; else throws the first failure's code, with the attempts of all failures. */
    public UpdateOutcome orThrow() {
        if (complete()) {
            return this;
        }
        UniserveException first = failed.get(0).error();
        // OUTCOME_UNKNOWN has priority: with a definite code, a caller may retry under a new id and apply rows twice.
        ErrorCode code = failed.stream().anyMatch(failure -> failure.error().code() == ErrorCode.OUTCOME_UNKNOWN)
                ? ErrorCode.OUTCOME_UNKNOWN
                : first.code();
        List<Attempt> tried = failed.stream()
                .flatMap(failure -> failure.error().tried().stream())
                .limit(TRIED_MAX)
                .toList();
        throw new UniserveException(
                code,
                failed.size() + " of " + (failed.size() + acked.size())
                        + " actors did not acknowledge their rows; first: " + first.code() + " " + first.reason(),
                tried,
                first);
    }
}
