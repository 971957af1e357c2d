package io.uniserve.protocol.reader;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.ServerId;
import io.uniserve.protocol.message.UpdateReply.ActorAck;
import io.uniserve.protocol.reader.Update.ActorBatch;
import java.util.Optional;

/** One actor's rows on their way. */
final class UpdateTarget {
    final ActorBatch batch;
    final AttemptLog tried = new AttemptLog();
    State state = State.READY;
    int attempts;
    int rounds;
    int failuresInRow;

    /** The request that carries it now; answers of older ones may still acknowledge it, never fail it. */
    Optional<UpdateCall> call = Optional.empty();

    /** An attempt went without a definite answer: the rows may have been applied. */
    boolean maybeApplied;

    long retryAtNanos;
    long askedEpoch;
    ServerId askedServer;

    ErrorCode lastCode = ErrorCode.UNAVAILABLE;
    String lastMessage = "the actor's primary is not live";

    Optional<ActorAck> ack = Optional.empty();
    Optional<UniserveException> failure = Optional.empty();

    enum State {
        /** To be sent. */
        READY,
        IN_FLIGHT,
        /** Waits for a newer map or the back-off. */
        PARKED,
        DONE
    }

    UpdateTarget(ActorBatch batch, ServerId primary) {
        this.batch = batch;
        this.askedServer = primary;
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
        failure = Optional.of(new UniserveException(code, "actor " + actor() + ": " + message, tried.list(), null));
    }

    void note(ServerId server, ErrorCode code, String message) {
        lastCode = code;
        lastMessage = message;
        tried.add(server, "actor " + actor(), code, message);
    }
}
