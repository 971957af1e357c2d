package io.uniserve.protocol.client.update;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.client.routing.AttemptLog;
import io.uniserve.protocol.client.update.Update.ActorBatch;
import io.uniserve.protocol.message.client.UpdateReply.ActorAck;
import java.util.Optional;

/** State of one actor's rows in an update. */
final class UpdateTarget {
    final ActorBatch batch;
    final AttemptLog attemptLog = new AttemptLog();
    State state = State.READY;
    int attempts;
    int rounds;
    int failuresInRow;

    /** The current request for the rows. A reply to an older one may still acknowledge the rows, but not fail them. */
    Optional<UpdateCall> call = Optional.empty();

    /** True if an attempt ended without a definite result: the rows may have been applied. */
    boolean maybeApplied;

    long retryAtNanos;
    long sentEpoch;
    ServerId sentServer;

    ErrorCode lastCode = ErrorCode.UNAVAILABLE;
    String lastMessage = "the actor's primary is not live";

    Optional<ActorAck> ack = Optional.empty();
    Optional<UniserveException> failure = Optional.empty();

    enum State {
        /** Ready to be sent. */
        READY,
        IN_FLIGHT,
        /** Waits for a newer map or the end of the back-off. */
        PARKED,
        DONE
    }

    UpdateTarget(ActorBatch batch, ServerId primary) {
        this.batch = batch;
        this.sentServer = primary;
    }

    int actor() {
        return batch.actor();
    }

    void acknowledge(ActorAck acknowledgement) {
        state = State.DONE;
        ack = Optional.of(acknowledgement);
    }

    void fail(ErrorCode code, String message) {
        state = State.DONE;
        failure =
                Optional.of(new UniserveException(code, "actor " + actor() + ": " + message, attemptLog.list(), null));
    }

    void recordFailure(ServerId server, ErrorCode code, String message) {
        lastCode = code;
        lastMessage = message;
        attemptLog.add(server, "actor " + actor(), code, message);
    }
}
