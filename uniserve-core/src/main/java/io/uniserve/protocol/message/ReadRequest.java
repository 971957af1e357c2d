package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.TableName;
import java.util.List;
import java.util.Optional;

/**
 * One server's share of a query: all its actors in one request.
 *
 * @param tableId the table the client planned with; another id is TABLE_NOT_FOUND
 * @param remainingNanos time until the deadline when sent, more than 0
 * @param together all actors that the query asks, in ascending order, told to one server of every {@link
 *     io.uniserve.limit.Limits#SHARD_SET_SAMPLE}th query for its statistics; else empty
 * @param hold the session that the read belongs to: states it reads are told, and held for later reads if it says so
 * @param beside actors of other tables, with the numbers of targets, that the operator may find beside these
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
        List<Integer> together,
        Optional<Hold> hold,
        List<Beside> beside) {
    /** Built in: holds the state of every actor for a session and reads nothing. */
    public static final String HOLD = "uniserve.hold@1";

    /** Built in: lets go of what a session holds of the targets. */
    public static final String RELEASE = "uniserve.release@1";

    public ReadRequest {
        targets = List.copyOf(targets);
        together = List.copyOf(together);
        beside = List.copyOf(beside);
    }

    /** One by itself. */
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
            Optional<Hold> hold) {
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

    /** One that belongs to no session and tells nothing for statistics. */
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
     * @param remainingNanos how long states are held, unless they are let go of
     * @param present nothing is held: a read tells which state is the present one, 0 where it was being changed meanwhile, and
     *     a later read of that state is VERSION_GONE where another is the present one by then
     */
    public record Hold(long high, long low, long remainingNanos, boolean present) {
        /** A session that has states held. */
        public Hold(long high, long low, long remainingNanos) {
            this(high, low, remainingNanos, false);
        }
    }

    /** Actors of another table, with what its readers know of them. */
    public record Beside(TableName table, long tableId, List<Target> targets) {
        public Beside {
            targets = List.copyOf(targets);
        }
    }

    /**
     * An actor asked for.
     *
     * @param epoch the epoch in the client's map
     * @param floorIndex the replica must have applied this log index (read your writes); 0 for none
     * @param version the state to read, as told by an earlier read of the session; 0 for whichever is the present one
     */
    public record Target(int actor, long epoch, long floorIndex, long version) {
        /** The present state. */
        public Target(int actor, long epoch, long floorIndex) {
            this(actor, epoch, floorIndex, 0);
        }
    }
}
