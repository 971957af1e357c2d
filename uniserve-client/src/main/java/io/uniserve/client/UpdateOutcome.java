package io.uniserve.client;

import io.uniserve.error.Attempt;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import io.uniserve.protocol.reader.UpdateResult.Failure;
import java.util.List;

/**
 * How an update ended, actor by actor. The rows of one actor are acknowledged together; actors succeed and fail apart from
 * each other (eventual consistency). Immutable.
 *
 * @param requestIds ids under which the rows were sent: one, or several in order for an update too large for one message
 * @param acked actors whose rows are all acknowledged, ascending, with the place of the last of them
 * @param failed the other actors, ascending; code OUTCOME_UNKNOWN where rows may have been applied: send the same rows again
 *     with the same request id to find out
 * @param requests requests sent to servers
 * @param retries how many of them repeated an earlier one
 */
public record UpdateOutcome(
        List<RequestId> requestIds, List<ActorAck> acked, List<Failure> failed, int requests, int retries) {
    private static final int TRIED_MAX = 64;

    public UpdateOutcome {
        requestIds = List.copyOf(requestIds);
        acked = List.copyOf(acked);
        failed = List.copyOf(failed);
    }

    /** True when every actor acknowledged its rows. */
    public boolean complete() {
        return failed.isEmpty();
    }

    /** This outcome when it is complete; else throws the first failure's code with what was tried for all of them. */
    public UpdateOutcome orThrow() {
        if (complete()) {
            return this;
        }
        UniserveException first = failed.get(0).error();
        // Unknown outweighs: a caller that retries on a definite code would else apply rows twice under a new id.
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
