package io.uniserve.protocol.message.client;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Optional;

/**
 * One server's share of a query: all its actors in one request.
 *
 * @param tableId number of the table in the client's map; if the server has another one, the read fails with TABLE_NOT_FOUND
 * @param remainingNanos time until the deadline at sending, greater than 0
 * @param queriedActors all actors of the query in ascending order, for statistics: in one request of every
 *     {@link io.uniserve.limit.Limits#SHARD_SET_SAMPLE}th query; else empty
 * @param session session of the read: the reply names the states that were read, and they are held for later reads if the session requires it
 * @param colocated actors of other tables, by the numbers of the targets, that the operator may also read if they are on the server
 */
public record ReadRequest(
        TableName table,
        long tableId,
        List<Target> targets,
        String operator,
        Bytes parameters,
        long queryHigh,
        long queryLow,
        int attempt,
        long remainingNanos,
        ReadMode mode,
        List<Integer> queriedActors,
        Optional<SessionHold> session,
        List<ColocatedTargets> colocated) {
    /** Built-in operator: holds the state of every actor for a session and reads nothing. */
    public static final String HOLD = "uniserve.hold@1";

    /** Built-in operator: releases the states of the targets that a session holds. */
    public static final String RELEASE = "uniserve.release@1";

    public ReadRequest {
        targets = List.copyOf(targets);
        queriedActors = List.copyOf(queriedActors);
        colocated = List.copyOf(colocated);
    }

    /** The same read of tables with these ids. */
    public ReadRequest withTableIds(long id, List<ColocatedTargets> beside) {
        return id == tableId && beside.equals(colocated)
                ? this
                : new ReadRequest(
                        table,
                        id,
                        targets,
                        operator,
                        parameters,
                        queryHigh,
                        queryLow,
                        attempt,
                        remainingNanos,
                        mode,
                        queriedActors,
                        session,
                        beside);
    }

    /** A read without actors of other tables. */
    public ReadRequest(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long queryHigh,
            long queryLow,
            int attempt,
            long remainingNanos,
            ReadMode mode,
            List<Integer> together,
            Optional<SessionHold> hold) {
        this(
                table,
                tableId,
                targets,
                operator,
                parameters,
                queryHigh,
                queryLow,
                attempt,
                remainingNanos,
                mode,
                together,
                hold,
                List.of());
    }

    /** A read without a session and without statistics. */
    public ReadRequest(
            TableName table,
            long tableId,
            List<Target> targets,
            String operator,
            Bytes parameters,
            long queryHigh,
            long queryLow,
            int attempt,
            long remainingNanos,
            ReadMode mode) {
        this(
                table,
                tableId,
                targets,
                operator,
                parameters,
                queryHigh,
                queryLow,
                attempt,
                remainingNanos,
                mode,
                List.of(),
                Optional.empty());
    }

    /**
     * A session, by a number that its owner drew.
     *
     * @param remainingNanos time for which states are held, unless they are released
     * @param currentOnly true if nothing is held. A read returns the id of the current state, or 0 if it changed meanwhile. A later read of
     *     that state fails with VERSION_GONE if it is no longer the current one
     */
    public record SessionHold(long high, long low, long remainingNanos, boolean currentOnly) {
        /** A session with held states. */
        public SessionHold(long high, long low, long remainingNanos) {
            this(high, low, remainingNanos, false);
        }
    }

    /** Actors of another table, with epochs and indexes as for its own reads. */
    public record ColocatedTargets(TableName table, long tableId, List<Target> targets) {
        public ColocatedTargets {
            targets = List.copyOf(targets);
        }
    }

    /**
     * An actor to read.
     *
     * @param epoch the actor's epoch in the client's map
     * @param floorIndex log index that the replica must have applied (read your writes); 0 for none
     * @param version the state to read, as returned by an earlier read of the session; 0 for the current one
     */
    public record Target(int actor, long epoch, long floorIndex, long version) {
        /** Reads the current state. */
        public Target(int actor, long epoch, long floorIndex) {
            this(actor, epoch, floorIndex, 0);
        }
    }
}
