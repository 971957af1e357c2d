package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One server's share of a read of a table whose reads are of one version: all its actors in one request.
 *
 * @param at the version to read; 0 for the newest that each actor has, or, of a strict read, for what was there before the first
 * @param merged true where the asker takes values that a server has merged over several of its actors
 * @param strict true where {@code at} and the targets' epochs were confirmed when the read began: no lease is needed then
 * @param remainingNanos time until the deadline when sent, more than 0
 */
public record VersionedRead(
        TableName table,
        long tableId,
        List<Target> targets,
        String operator,
        Bytes parameters,
        long at,
        boolean merged,
        boolean strict,
        long remainingNanos) {
    public VersionedRead {
        targets = List.copyOf(targets);
    }

    /** One that rests on leases, with a value for each actor. */
    public VersionedRead(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long at,
            long remainingNanos) {
        this(table, tableId, targets, operator, parameters, at, false, false, remainingNanos);
    }

    /** True where the newest state is asked for, whichever it is. */
    public boolean newest() {
        return at == 0 && !strict;
    }

    /** An actor asked for, with its epoch in the client's map. */
    public record Target(int actor, long epoch) {}

    /** Every target is in exactly one of the two. */
    public record Reply(List<Part> parts, List<ActorFailure> failures) {
        public Reply {
            parts = List.copyOf(parts);
            failures = List.copyOf(failures);
        }
    }

    /**
     * The value of an actor, or of several that were merged.
     *
     * @param actors one, where the request did not ask for merged values
     * @param at the version through which it is complete: every one at or below it that concerns these actors is in it
     */
    public record Part(List<Integer> actors, long at, Bytes value) {
        public Part {
            actors = List.copyOf(actors);
        }

        /** Of one actor. */
        public Part(int actor, long at, Bytes value) {
            this(List.of(actor), at, value);
        }
    }
}
