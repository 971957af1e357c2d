package io.uniserve.protocol.tx;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.env.Clock;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.UpdateReply;
import io.uniserve.protocol.message.UpdateRequest;
import io.uniserve.protocol.message.UpdateRequest.ActorRows;
import io.uniserve.protocol.message.UpdateRequest.Piece;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Atomic updates that come in pieces, until all are there: then it is one update as any other. Nothing of them is on disk or
 * known to anybody else, so a piece that is gone, with this server or for want of room, only has the client send all again,
 * under the same request id. Pieces belong together by that id and the hash of the whole, which is computed again from
 * what has come: pieces of two contents never become one update.
 */
final class StagedUpdates {
    private static final long IDLE_NANOS = Limits.STAGED_UPDATE_IDLE_MS * 1_000_000;

    private final Clock clock;
    private final Driver driver;
    private final Map<Key, Staging> stagings = new LinkedHashMap<>();
    private long bytes;

    /** Who gets updates that are whole. */
    @FunctionalInterface
    interface Driver {
        void drive(UpdateRequest update, String sha256, Completion<UpdateReply> completion);
    }

    private record Key(long tableId, RequestId request, String sha256) {}

    private static final class Staging {
        private final int count;
        private final String function;
        private final List<ActorRows> actors = new ArrayList<>();
        private final ContentHash hash; // with each piece, as the whole at once would hold up the loop
        private int pieces;
        private long bytes;
        private long touchedNanos;

        private Staging(UpdateRequest first) {
            this.count = first.piece().count();
            this.function = first.function();
            this.hash = new ContentHash(first.tableId(), function);
        }
    }

    /** @param driver gets each update when it is whole */
    StagedUpdates(Clock clock, Driver driver) {
        this.clock = clock;
        this.driver = driver;
    }

    /** Bytes of rows that are held, those of updates without an outcome among them. */
    long bytes() {
        return bytes;
    }

    /** True when no update waits for pieces. */
    boolean isEmpty() {
        return stagings.isEmpty();
    }

    /** Holds the piece; the last one's answer is the update's. */
    void take(UpdateRequest request, Completion<UpdateReply> completion) {
        Piece piece = request.piece();
        Key key = new Key(request.tableId(), request.request(), piece.sha256());
        Staging staging = stagings.get(key);
        if (staging == null && piece.number() == 0) {
            staging = new Staging(request);
            stagings.put(key, staging);
        }
        if (staging == null || piece.number() > staging.pieces || piece.count() != staging.count) {
            drop(key);
            fail(
                    completion,
                    ErrorCode.UNAVAILABLE,
                    "earlier pieces of the update are not here: send all of them again");
            return;
        }
        staging.touchedNanos = clock.nanos();
        if (piece.number() == staging.pieces && !add(key, staging, request, completion)) {
            return;
        }
        if (piece.last()) {
            stagings.remove(key);
            whole(request, staging, completion);
        } else {
            completion.done(Outcome.ok(new UpdateReply(List.of(), List.of())));
        }
    }

    private boolean add(Key key, Staging staging, UpdateRequest request, Completion<UpdateReply> completion) {
        long more =
                request.actors().stream().mapToLong(rows -> rows.rows().size()).sum();
        if (staging.bytes + more > Limits.ATOMIC_UPDATE_BYTES_MAX) {
            drop(key);
            fail(
                    completion,
                    ErrorCode.TOO_LARGE,
                    "the update has more than " + Limits.ATOMIC_UPDATE_BYTES_MAX + " bytes: send several updates");
            return false;
        }
        if (bytes + more > Limits.STAGED_UPDATES_BYTES_MAX) {
            drop(key); // so that another one has room
            fail(
                    completion,
                    ErrorCode.RESOURCE_EXHAUSTED,
                    "this server holds " + bytes + " bytes of large updates, at most " + Limits.STAGED_UPDATES_BYTES_MAX
                            + ": try again later");
            return false;
        }
        staging.actors.addAll(request.actors());
        staging.hash.add(request.actors());
        staging.pieces++;
        staging.bytes += more;
        bytes += more;
        return true;
    }

    private void whole(UpdateRequest last, Staging staging, Completion<UpdateReply> completion) {
        UpdateRequest update = new UpdateRequest(
                last.table(),
                last.tableId(),
                last.request(),
                last.lowWater(),
                last.attempt(),
                last.level(),
                staging.function,
                staging.actors,
                last.remainingNanos());
        boolean twice =
                update.actors().stream().map(ActorRows::actor).distinct().count() < staging.actors.size();
        if (twice || !staging.hash.hex().equals(last.piece().sha256())) {
            bytes -= staging.bytes;
            fail(
                    completion,
                    ErrorCode.INVALID_ARGUMENT,
                    twice
                            ? "an actor is in two pieces: send its rows together"
                            : "the pieces are not those of the update whose hash they name: send all of them again");
            return;
        }
        driver.drive(update, last.piece().sha256(), outcome -> {
            bytes -= staging.bytes;
            completion.done(outcome);
        });
    }

    /** Lets go of what nobody has added to for long. */
    void expire() {
        long now = clock.nanos();
        for (Map.Entry<Key, Staging> entry : List.copyOf(stagings.entrySet())) {
            if (now - entry.getValue().touchedNanos >= IDLE_NANOS) {
                drop(entry.getKey());
            }
        }
    }

    private void drop(Key key) {
        Staging gone = stagings.remove(key);
        if (gone != null) {
            bytes -= gone.bytes;
        }
    }

    private static void fail(Completion<UpdateReply> completion, ErrorCode code, String message) {
        completion.done(Outcome.err(new UniserveException(code, message)));
    }
}
