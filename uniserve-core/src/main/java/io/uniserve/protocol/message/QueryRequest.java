package io.uniserve.protocol.message;

import io.uniserve.model.TableName;
import java.util.List;

/**
 * A query in the engine's own language, planned on the server that gets it.
 *
 * @param tableId the table that the floors are for; those of another table of this name do not count
 * @param actors the actors it is asked of; none for all of the table's
 * @param floors what the caller wrote: the planning server asks replicas that have applied at least this
 */
public record QueryRequest(
        TableName table, String text, List<Integer> actors, long remainingNanos, long tableId, List<Floor> floors) {
    public QueryRequest {
        actors = List.copyOf(actors);
        floors = List.copyOf(floors);
    }

    /** A query of somebody who wrote nothing. */
    public QueryRequest(TableName table, String text, long remainingNanos) {
        this(table, text, remainingNanos, 0, List.of());
    }

    /** A query of all actors. */
    public QueryRequest(TableName table, String text, long remainingNanos, long tableId, List<Floor> floors) {
        this(table, text, List.of(), remainingNanos, tableId, floors);
    }

    /** Rows of the caller are at this place of the actor's log, acknowledged in this epoch. */
    public record Floor(int actor, long epoch, long index) {}
}
