package io.uniserve.protocol.message.client;

import java.util.List;

/**
 * Reply to an {@link UpdateRequest}: every actor is acknowledged or failed.
 *
 * @param staged for a request to stage rows, instead: reference to the staged rows per actor
 */
public record UpdateReply(List<ActorAck> acks, List<ActorFailure> failures, List<ActorStaged> staged) {
    public UpdateReply {
        acks = List.copyOf(acks);
        failures = List.copyOf(failures);
        staged = List.copyOf(staged);
    }

    /** Reply to a request that applies rows. */
    public UpdateReply(List<ActorAck> acks, List<ActorFailure> failures) {
        this(acks, failures, List.of());
    }

    /** Reply to a request that stages rows. */
    public static UpdateReply of(List<ActorStaged> staged) {
        return new UpdateReply(List.of(), List.of(), staged);
    }

    /** Position of the actor's rows in its log. {@code duplicate} is true if an earlier attempt has logged them. */
    public record ActorAck(int actor, long epoch, long index, boolean duplicate) {}

    /** The actor's rows are staged. */
    public record ActorStaged(int actor, StagedRowsRef rows) {}
}
