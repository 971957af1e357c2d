package io.uniserve.protocol.transaction.manager;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TransactionLogState.Batch;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.client.ActorFailure;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import io.uniserve.protocol.message.client.UpdateRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * A client's atomic update at its transaction manager, with all callers that wait for its outcome. A client may have sent it repeatedly.
 */
final class QueuedUpdate {
    final UpdateRequest request;
    final Batch batch;
    /** Size of its rows in bytes, including rows that are staged at their primaries. */
    final long bytes;
    /** Size of the rows that are in this server's memory, in bytes. */
    final long memoryBytes;

    long deadlineNanos;
    /** The highest attempt of this request that has arrived here. */
    int attempt;

    private final List<Completion<UpdateReply>> callers = new ArrayList<>();

    QueuedUpdate(UpdateRequest request, String sha256, long deadlineNanos) {
        this.request = request;
        this.batch = new Batch(request.request(), sha256);
        this.deadlineNanos = deadlineNanos;
        this.bytes = request.actors().stream()
                .mapToLong(UpdateRequest.ActorRows::bytes)
                .sum();
        this.memoryBytes =
                request.actors().stream().mapToLong(rows -> rows.rows().size()).sum();
    }

    static UniserveException otherContentError() {
        return UniserveException.invalid("this request id was used with other content: use a new id");
    }

    /** Adds a caller that waits until this deadline. */
    void addCaller(Completion<UpdateReply> caller, int number, long untilNanos) {
        callers.add(caller);
        attempt = Math.max(attempt, number);
        deadlineNanos = Math.max(deadlineNanos, untilNanos);
    }

    void completeCommitted(long version, boolean duplicate) {
        complete(new UpdateReply(
                request.actors().stream()
                        .map(rows -> new ActorAck(rows.actor(), 0, version, duplicate))
                        .toList(),
                List.of()));
    }

    void fail(ErrorCode code, String message) {
        complete(new UpdateReply(
                List.of(),
                request.actors().stream()
                        .map(rows -> new ActorFailure(rows.actor(), code, message, 0))
                        .toList()));
    }

    private void complete(UpdateReply reply) {
        List<Completion<UpdateReply>> told = List.copyOf(callers);
        callers.clear();
        told.forEach(caller -> caller.done(Outcome.ok(reply)));
    }
}
