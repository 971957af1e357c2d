package io.uniserve.protocol.message;

import java.util.List;

/**
 * Answer to an {@link UpdateRequest}: every actor is acked or failed.
 *
 * @param staged for a request that stages rows, instead: what is kept of each actor
 */
public record UpdateReply(List<ActorAck> acks, List<ActorFailure> failures, List<ActorStaged> staged) {
    public UpdateReply {
        acks = List.copyOf(acks);
        failures = List.copyOf(failures);
        staged = List.copyOf(staged);
    }

    /** Of rows that were to be applied. */
    public UpdateReply(List<ActorAck> acks, List<ActorFailure> failures) {
        this(acks, failures, List.of());
    }

    /** Rows are kept. */
    public static UpdateReply of(List<ActorStaged> staged) {
        return new UpdateReply(List.of(), List.of(), staged);
    }

    /** The actor's rows are logged at this place. {@code duplicate}: an earlier attempt had done it. */
    public record ActorAck(int actor, long epoch, long index, boolean duplicate) {}

    /** The actor's rows are kept in memory. */
    public record ActorStaged(int actor, StagedRowsRef rows) {}
}
