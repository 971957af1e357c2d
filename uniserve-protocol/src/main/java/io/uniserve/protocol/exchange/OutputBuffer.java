package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PullChunk;
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Chunks of local scatters. A run is readable once it is complete, and is kept until its attempt ends or its deadline has passed. */
final class OutputBuffer {
    private static final Logger LOG = LoggerFactory.getLogger(OutputBuffer.class);

    /** Number of attempts, because a disk may fail once. */
    private static final int READ_ATTEMPTS_MAX = 3;

    private final Address self;
    private final ChunkStore store;
    private final Map<ScatterRunId, BufferedRun> all = new LinkedHashMap<>();

    /** The chunks of one run. */
    private static final class BufferedRun {
        private final String user;
        private final List<ChunkInfo> infos;
        private final List<ChunkStore.@Nullable Stored> chunks;
        private final long deadlineNanos;
        private boolean complete;
        private boolean freed;

        private BufferedRun(String user, int slots, long deadlineNanos) {
            this.user = user;
            this.infos = new ArrayList<>(Collections.nCopies(slots, ChunkInfo.EMPTY));
            this.chunks = new ArrayList<>(Collections.nCopies(slots, null));
            this.deadlineNanos = deadlineNanos;
        }

        private void free() {
            freed = true;
            chunks.forEach(chunk -> {
                if (chunk != null) {
                    chunk.free();
                }
            });
        }
    }

    OutputBuffer(Address self, ChunkStore store) {
        this.self = self;
        this.store = store;
    }

    /** Starts a run for a user; empty for work without one. */
    void startRun(ScatterRunId scatterOutput, String user, int slots, long deadlineNanos) {
        if (all.putIfAbsent(scatterOutput, new BufferedRun(user, slots, deadlineNanos)) != null) {
            throw new IllegalStateException("a run of this number exists: " + scatterOutput);
        }
    }

    /** Stores a chunk of a run that has started. */
    void put(ScatterRunId scatterOutput, int slot, ChunkInfo info, Bytes chunk, Completion<Done> completion) {
        BufferedRun made = all.get(scatterOutput);
        if (made == null || made.complete) {
            completion.done(Outcome.err(endedError()));
            return;
        }
        if (slot < 0 || slot >= made.infos.size()) {
            completion.done(Outcome.err(new UniserveException(
                    ErrorCode.PORT_PROTOCOL, "the scatter put a chunk for slot " + slot + " of " + made.infos.size())));
            return;
        }
        if (made.infos.get(slot).bytes() > 0) {
            completion.done(Outcome.err(
                    new UniserveException(ErrorCode.PORT_PROTOCOL, "the scatter put a second chunk for slot " + slot)));
            return;
        }
        made.infos.set(slot, info);
        store.add(made.user, scatterOutput.exchange().query(), List.of(chunk), outcome -> {
            if (outcome instanceof Outcome.Ok<ChunkStore.Stored> ok) {
                made.chunks.set(slot, ok.value());
                if (made.freed) {
                    ok.value().free();
                    completion.done(Outcome.err(endedError()));
                    return;
                }
            }
            completion.done(outcome.map(stored -> Done.DONE));
        });
    }

    static UniserveException endedError() {
        return new UniserveException(ErrorCode.CANCELLED, "the plan's attempt is over");
    }

    /** Ends a run with all its chunks: from now on they can be read. */
    Outcome<ScatterManifest> complete(ScatterRunId scatterOutput) {
        BufferedRun made = all.get(scatterOutput);
        if (made == null) {
            return Outcome.err(endedError());
        }
        made.complete = true;
        long spilled = 0;
        for (ChunkStore.Stored chunk : made.chunks) {
            spilled += chunk != null && chunk.isSpilled() ? chunk.size() : 0;
        }
        return Outcome.ok(new ScatterManifest(self, scatterOutput, made.infos, spilled));
    }

    /** Drops a run that failed. Idempotent. */
    void abandon(ScatterRunId scatterOutput) {
        BufferedRun made = all.remove(scatterOutput);
        if (made != null) {
            made.free();
        }
    }

    /** A chunk of a complete run; null if it is not here. */
    ChunkStore.@Nullable Stored find(ScatterRunId scatterOutput, int slot) {
        BufferedRun made = all.get(scatterOutput);
        return made == null || !made.complete || slot < 0 || slot >= made.infos.size() ? null : made.chunks.get(slot);
    }

    /** Replies once, when all parts have been read. */
    void pull(PeerRequest.PullChunks request, int pieceBytes, Completion<PeerReply> completion) {
        PendingPullReply answer = new PendingPullReply(request.parts().size(), completion);
        long left = pieceBytes;
        for (int i = 0; i < request.parts().size(); i++) {
            PullChunk part = request.parts().get(i);
            ChunkStore.Stored chunk = find(part.output(), part.slot());
            left -= Math.max(0, part.length());
            boolean inside = part.offset() >= 0
                    && part.length() > 0
                    && left >= 0
                    && (chunk == null || part.offset() <= chunk.size() - part.length());
            int place = i;
            if (!inside) {
                answer.set(
                        place,
                        Outcome.err(UniserveException.invalid("bytes " + part.offset() + " to "
                                + (part.offset() + (long) part.length()) + " of a chunk"
                                + (chunk == null ? "" : " of " + chunk.size()) + ", at most " + pieceBytes
                                + " at a time")));
            } else if (chunk == null) {
                answer.set(place, Outcome.ok(PeerReply.Piece.MISSING));
            } else {
                ChunkInfo whole = infoOf(part.output(), part.slot());
                read(
                        chunk,
                        part,
                        1,
                        outcome -> answer.set(place, outcome.map(bytes -> new PeerReply.Piece(whole, bytes))));
            }
        }
        answer.set(-1, Outcome.ok(PeerReply.Piece.MISSING));
    }

    /**
     * Reads a part. If it cannot be read after some attempts it is reported as lost, so that other queries' parts in the message succeed.
     */
    private static void read(ChunkStore.Stored chunk, PullChunk part, int attempt, Completion<Bytes> completion) {
        chunk.read(part.offset(), part.length(), outcome -> {
            if (outcome instanceof Outcome.Ok<Bytes>) {
                completion.done(outcome);
            } else if (attempt < READ_ATTEMPTS_MAX) {
                read(chunk, part, attempt + 1, completion);
            } else {
                UniserveException error = outcome.error();
                LOG.warn("exchange: chunk is lost because it cannot be read: {}", error.getMessage());
                completion.done(Outcome.err(new UniserveException(ErrorCode.EXCHANGE_LOST, error.reason(), error)));
            }
        });
    }

    /** The reply to one request, until its last part is read. */
    private static final class PendingPullReply {
        private final List<PeerReply.Piece> pieces;
        private final Completion<PeerReply> completion;
        private @Nullable UniserveException failure;
        private int open;

        private PendingPullReply(int parts, Completion<PeerReply> completion) {
            this.pieces = new ArrayList<>(Collections.nCopies(parts, PeerReply.Piece.MISSING));
            this.completion = completion;
            this.open = parts + 1;
        }

        /** @param place -1 once all reads were started */
        private void set(int place, Outcome<PeerReply.Piece> outcome) {
            if (outcome instanceof Outcome.Ok<PeerReply.Piece> ok) {
                if (place >= 0) {
                    pieces.set(place, ok.value());
                }
            } else {
                UniserveException error = outcome.error();
                if (error.code() != ErrorCode.EXCHANGE_LOST) { // the part is already marked as lost
                    failure = error;
                }
            }
            if (--open == 0) {
                completion.done(failure == null ? Outcome.ok(new PeerReply.Pieces(pieces)) : Outcome.err(failure));
            }
        }
    }

    private ChunkInfo infoOf(ScatterRunId scatterOutput, int slot) {
        BufferedRun made = all.get(scatterOutput);
        return made == null ? ChunkInfo.EMPTY : made.infos.get(slot);
    }

    void end(ExchangeId exchange) {
        removeIf(entry -> entry.getKey().exchange().equals(exchange));
    }

    void expire(long now) {
        removeIf(entry -> entry.getValue().deadlineNanos - now <= 0);
    }

    private void removeIf(Predicate<Map.Entry<ScatterRunId, BufferedRun>> which) {
        all.entrySet().removeIf(entry -> {
            boolean goes = which.test(entry);
            if (goes) {
                entry.getValue().free();
            }
            return goes;
        });
    }

    int size() {
        return all.size();
    }
}
