package io.uniserve.protocol.message.client;

import io.uniserve.model.ServerId;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Optional;

/**
 * A query in the engine's own language. The server that receives it plans it.
 *
 * @param tableId number of the table that the floors belong to; they are ignored for another table of this name
 * @param actors actors to query; empty for all of the table
 * @param session session of the query, with the states that are held for it
 * @param floors the caller's own writes: a replica must have applied its log up to them
 * @param mode freshness of the answer
 * @param explain true if the answer is the executed plan, step by step, as text
 * @param replicaSeed the caller's number, by which queries choose replicas if the answer may depend on the choice; 0 for none
 * @param generation chunk generation of the map by which the caller chose the actors of a TIME table; then no actors means none. 0 if the
 *     caller chose none by a map of a TIME table
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
        long replicaSeed,
        long generation) {
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
        this(table, text, actors, session, remainingNanos, tableId, floors, mode, explain, 0, 0);
    }

    /** A query in the default mode, without {@code explain}. */
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

    /** A query of a caller without own writes. */
    public QueryRequest(TableName table, String text, long remainingNanos) {
        this(table, text, remainingNanos, 0, List.of());
    }

    /** A query of all actors. */
    public QueryRequest(TableName table, String text, long remainingNanos, long tableId, List<Floor> floors) {
        this(table, text, List.of(), Optional.empty(), remainingNanos, tableId, floors);
    }

    /**
     * A session, with the states of the table's actors that are held for it.
     *
     * @param remainingNanos time from now for which the states are held
     */
    public record Session(long high, long low, long remainingNanos, List<Pin> pins) {
        public Session {
            pins = List.copyOf(pins);
        }

        /** The state of an actor that one of its replicas holds. */
        public record Pin(int actor, ServerId server, long version) {}
    }

    /** Position of the caller's last write in an actor's log, acknowledged in this epoch. */
    public record Floor(int actor, long epoch, long index) {}
}
