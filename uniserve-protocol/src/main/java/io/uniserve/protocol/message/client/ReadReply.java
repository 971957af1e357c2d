package io.uniserve.protocol.message.client;

import io.uniserve.codec.Bytes;
import java.util.List;

/**
 * Reply to a {@link ReadRequest}: every target is in exactly one part or failure.
 *
 * @param generation chunk generation of the server's map of a TIME table, as of the first checks of the gates. A reader with a map of a
 *     lower generation may lack chunks with rows that were acknowledged before. 0 for other tables, and for reads without gates
 */
public record ReadReply(List<Part> parts, List<ActorFailure> failures, long costNanos, long generation) {
    public ReadReply {
        parts = List.copyOf(parts);
        failures = List.copyOf(failures);
    }

    /** Reply of a table without chunks. */
    public ReadReply(List<Part> parts, List<ActorFailure> failures, long costNanos) {
        this(parts, failures, costNanos, 0);
    }

    /**
     * A partial value of these actors, merged on the server if the operator can merge.
     *
     * @param versions in a session: the state of each actor that was read, in the order of the actors; else empty
     */
    public record Part(List<Integer> actors, Bytes value, List<Long> versions) {
        public Part {
            actors = List.copyOf(actors);
            versions = List.copyOf(versions);
        }

        /** A part of a read without a session. */
        public Part(List<Integer> actors, Bytes value) {
            this(actors, value, List.of());
        }
    }
}
