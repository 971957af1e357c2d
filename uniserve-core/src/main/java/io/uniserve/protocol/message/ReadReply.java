package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import java.util.List;

/** Answer to a {@link ReadRequest}: every target is in exactly one part or failure. */
public record ReadReply(List<Part> parts, List<ActorFailure> failures, long costNanos) {
    public ReadReply {
        parts = List.copyOf(parts);
        failures = List.copyOf(failures);
    }

    /** A partial value over these actors, merged on the server where the operator can. */
    public record Part(List<Integer> actors, Bytes value) {
        public Part {
            actors = List.copyOf(actors);
        }
    }
}
