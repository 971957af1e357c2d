package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One server's share of a read of a table whose reads are of one version: all its actors in one request.
 *
 * @param at the version to read; 0 for the newest that each actor has, or, of a strict read, for what was there before the first
 * @param merged true where the asker takes values that a server has merged over several of its actors
 * @param defers true where the asker takes an answer of the newest state that leaves a version open, and looks for a denial of it in
 *     other servers' answers
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
        boolean defers,
        boolean strict,
        long remainingNanos) {
    public VersionedRead {
        targets = List.copyOf(targets);
    }

    /** One that leaves nothing open. */
    public VersionedRead(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long at,
            boolean merged,
            boolean strict,
            long remainingNanos) {
        this(table, tableId, targets, operator, parameters, at, merged, false, strict, remainingNanos);
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

    /**
     * Every target is in exactly one of parts and failures.
     *
     * @param open versions that are left out of some part and may have been committed before the request came; none where the
     *     request does not defer
     * @param denied versions of which nobody could know that they are committed, at some moment after the request had come
     */
    public record Reply(List<Part> parts, List<ActorFailure> failures, List<Long> open, List<Long> denied) {
        /** Of either kind: actors have one version in doubt each, of one table most often the same. */
        public static final int DOUBTS_MAX = Limits.ACTORS_PER_TABLE_MAX;

        public Reply {
            parts = List.copyOf(parts);
            failures = List.copyOf(failures);
            open = List.copyOf(open);
            denied = List.copyOf(denied);
        }

        /** With no version open and none denied. */
        public Reply(List<Part> parts, List<ActorFailure> failures) {
            this(parts, failures, List.of(), List.of());
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
