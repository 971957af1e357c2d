package io.uniserve.protocol.reader;

import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import java.util.List;

/**
 * How an update ended for each of its actors. An actor's rows are applied together or not at all; actors succeed and fail
 * apart from each other.
 *
 * @param acked actors whose rows are acknowledged, ascending
 * @param failed the others, ascending; OUTCOME_UNKNOWN where the rows may have been applied
 */
public record UpdateResult(RequestId request, List<ActorAck> acked, List<Failure> failed, int requests, int retries) {
    public UpdateResult {
        acked = List.copyOf(acked);
        failed = List.copyOf(failed);
    }

    /** True when every actor acknowledged. */
    public boolean complete() {
        return failed.isEmpty();
    }

    /** Why an actor's rows are not acknowledged; the error lists what was tried. */
    public record Failure(int actor, UniserveException error) {}
}
