package io.uniserve.protocol.client.update;

import io.uniserve.error.UniserveException;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.List;

/**
 * Result of an update per actor. An actor's rows are applied together or not at all; actors succeed and fail independently.
 *
 * @param acked actors with acknowledged rows, ascending
 * @param failed the others, ascending; OUTCOME_UNKNOWN if the rows may have been applied
 */
public record UpdateResult(RequestId request, List<ActorAck> acked, List<Failure> failed, int requests, int retries) {
    public UpdateResult {
        acked = List.copyOf(acked);
        failed = List.copyOf(failed);
    }

    /** True if every actor has acknowledged. */
    public boolean isComplete() {
        return failed.isEmpty();
    }

    /** The error of an actor's rows, with the list of attempts. */
    public record Failure(int actor, UniserveException error) {}
}
