package io.uniserve.protocol.message;

import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Optional;

/**
 * A query in the engine's own language, planned on the server that gets it.
 *
 * @param tableId the table that the floors are for; those of another table of this name do not count
 * @param actors the actors it is asked of; none for all of the table's
 * @param session the session that the query belongs to, with states that are held for it
 * @param floors what the caller wrote: the planning server asks replicas that have applied at least this
 * @param mode how fresh the answer must be
 * @param explain whether the answer is to be what its plan took, step by step, as text
 * @param copies the caller's number, by which its queries choose copies where the answer may depend on them; 0 for none
 */
public record QueryRequest(
        TableName table,
        String text,
        List<Integer> actors,
        Optional<Session> session,
        long remainingNanos,
        long tableId,
        List<Floor> floors,
        ReadMode mode,
        boolean explain,
        long copies) {
    public QueryRequest {
        actors = List.copyOf(actors);
        floors = List.copyOf(floors);
    }

    /** A query of a caller without a number. */
    public QueryRequest(
            TableName table,
            String text,
            List<Integer> actors,
            Optional<Session> session,
            long remainingNanos,
            long tableId,
            List<Floor> floors,
            ReadMode mode,
            boolean explain) {
        this(table, text, actors, session, remainingNanos, tableId, floors, mode, explain, 0);
    }

    /** A query in the default mode, to be answered. */
    public QueryRequest(
            TableName table,
            String text,
            List<Integer> actors,
            Optional<Session> session,
            long remainingNanos,
            long tableId,
            List<Floor> floors) {
        this(table, text, actors, session, remainingNanos, tableId, floors, ReadMode.LINEARIZABLE, false);
    }

    /** A query of somebody who wrote nothing. */
    public QueryRequest(TableName table, String text, long remainingNanos) {
        this(table, text, remainingNanos, 0, List.of());
    }

    /** A query of all actors. */
    public QueryRequest(TableName table, String text, long remainingNanos, long tableId, List<Floor> floors) {
        this(table, text, List.of(), Optional.empty(), remainingNanos, tableId, floors);
    }

    /**
     * States of the table's actors that are held.
     *
     * @param remainingNanos how long they are held from now
     */
    public record Session(long high, long low, long remainingNanos, List<Pin> pins) {
        public Session {
            pins = List.copyOf(pins);
        }

        /** An actor's state on one of its replicas. */
        public record Pin(int actor, ServerId server, long version) {}
    }

    /** Rows of the caller are at this place of the actor's log, acknowledged in this epoch. */
    public record Floor(int actor, long epoch, long index) {}
}
