package io.uniserve.protocol.message;

import java.util.List;

/** Answer to an {@link UpdateRequest}: every actor is acked or failed. */
public record UpdateReply(List<ActorAck> acks, List<ActorFailure> failures) {
    public UpdateReply {
        acks = List.copyOf(acks);
        failures = List.copyOf(failures);
    }

    /** The actor's rows are logged at this place. {@code duplicate}: an earlier attempt had done it. */
    public record ActorAck(int actor, long epoch, long index, boolean duplicate) {}
}
