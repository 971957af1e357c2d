package io.uniserve.protocol.message;

import io.uniserve.codec.Bytes;
import io.uniserve.model.AckLevel;
import io.uniserve.model.RequestId;
import io.uniserve.model.TableName;
import java.util.List;

/**
 * One server's share of an eventual update: rows of each actor whose primary it is; or a whole atomic update, for the server
 * that drives it.
 *
 * @param lowWater the client's smallest unfinished sequence; of an atomic update a version that was committed before the
 *     request was first sent, 0 where that is not known
 * @param piece of an atomic update that does not fit in one message: which one this is
 */
public record UpdateRequest(
        TableName table,
        long tableId,
        RequestId request,
        long lowWater,
        int attempt,
        AckLevel level,
        String function,
        List<ActorRows> actors,
        long remainingNanos,
        Piece piece) {
    public UpdateRequest {
        actors = List.copyOf(actors);
    }

    /** One message for all. */
    public UpdateRequest(
            TableName table,
            long tableId,
            RequestId request,
            long lowWater,
            int attempt,
            AckLevel level,
            String function,
            List<ActorRows> actors,
            long remainingNanos) {
        this(table, tableId, request, lowWater, attempt, level, function, actors, remainingNanos, Piece.WHOLE);
    }

    /**
     * A piece of an update: whole actors, in the order of the update. Pieces are sent one after the other to one server, which
     * holds them; a reply without acknowledgements and failures asks for the next one, the last one is answered with the outcome.
     *
     * @param number from 0
     * @param count of all pieces
     * @param sha256 of the whole update, in hex; empty where it is in one piece
     */
    public record Piece(int number, int count, String sha256) {
        /** The update is in one piece. */
        public static final Piece WHOLE = new Piece(0, 1, "");

        /** True where there are no others. */
        public boolean whole() {
            return count == 1;
        }

        /** True when all others went before. */
        public boolean last() {
            return number == count - 1;
        }
    }

    /** Rows for one actor: a count, then each row by its codec (see {@code io.uniserve.codec.Codecs#list}). */
    public record ActorRows(int actor, long epoch, Bytes rows) {}
}
