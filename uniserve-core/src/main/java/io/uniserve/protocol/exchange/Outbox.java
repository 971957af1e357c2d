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
import io.uniserve.protocol.message.Production;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What scatters have made here: told of once it is complete, kept until its attempt is over or its deadline has passed. */
final class Outbox {
    private final Address self;
    private final ChunkStore store;
    private final Map<Production, Made> all = new LinkedHashMap<>();

    /** One run's chunks. */
    private static final class Made {
        private final List<ChunkInfo> infos;
        private final List<ChunkStore.@Nullable Stored> chunks;
        private final long deadlineNanos;
        private boolean complete;
        private boolean gone;

        private Made(int slots, long deadlineNanos) {
            this.infos = new ArrayList<>(Collections.nCopies(slots, ChunkInfo.NOTHING));
            this.chunks = new ArrayList<>(Collections.nCopies(slots, null));
            this.deadlineNanos = deadlineNanos;
        }

        private void free() {
            gone = true;
            chunks.forEach(chunk -> {
                if (chunk != null) {
                    chunk.free();
                }
            });
        }
    }

    Outbox(Address self, ChunkStore store) {
        this.self = self;
        this.store = store;
    }

    /** A run begins. */
    void begin(Production production, int slots, long deadlineNanos) {
        if (all.putIfAbsent(production, new Made(slots, deadlineNanos)) != null) {
            throw new IllegalStateException("there is a run of this number: " + production);
        }
    }

    /** Keeps a chunk of a run that has begun. */
    void put(Production production, int slot, ChunkInfo info, Bytes chunk, Completion<Done> completion) {
        Made made = all.get(production);
        if (made == null || made.complete) {
            completion.done(Outcome.err(over()));
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
        store.add(production.exchange().query(), chunk, outcome -> {
            if (outcome instanceof Outcome.Ok<ChunkStore.Stored> ok) {
                made.chunks.set(slot, ok.value());
                if (made.gone) {
                    ok.value().free();
                    completion.done(Outcome.err(over()));
                    return;
                }
            }
            completion.done(outcome.map(stored -> Done.DONE));
        });
    }

    static UniserveException over() {
        return new UniserveException(ErrorCode.CANCELLED, "the plan's attempt is over");
    }

    /** The run has put all its chunks: from here on it can be asked for. */
    Outcome<Receipt> complete(Production production) {
        Made made = all.get(production);
        if (made == null) {
            return Outcome.err(over());
        }
        made.complete = true;
        long spilled = 0;
        for (ChunkStore.Stored chunk : made.chunks) {
            spilled += chunk != null && chunk.spilled() ? chunk.size() : 0;
        }
        return Outcome.ok(new Receipt(self, production, made.infos, spilled));
    }

    /** The run failed. Idempotent. */
    void abandon(Production production) {
        Made made = all.remove(production);
        if (made != null) {
            made.free();
        }
    }

    /** A chunk of a complete run; null where it is not here. */
    ChunkStore.@Nullable Stored find(Production production, int slot) {
        Made made = all.get(production);
        return made == null || !made.complete || slot < 0 || slot >= made.infos.size() ? null : made.chunks.get(slot);
    }

    void pull(PeerRequest.PullChunk request, int pieceBytes, Completion<PeerReply> completion) {
        ChunkStore.Stored chunk = find(request.production(), request.slot());
        if (chunk == null) {
            completion.done(Outcome.err(ChunkStore.lost()));
            return;
        }
        boolean inside = request.offset() >= 0
                && request.length() > 0
                && request.length() <= pieceBytes
                && request.offset() <= chunk.size() - request.length();
        if (!inside) {
            completion.done(Outcome.err(UniserveException.invalid("bytes " + request.offset() + " to "
                    + (request.offset() + (long) request.length()) + " of a chunk of " + chunk.size()
                    + ", at most " + pieceBytes + " at a time")));
            return;
        }
        ChunkInfo whole = infoOf(request.production(), request.slot());
        chunk.read(
                request.offset(),
                request.length(),
                outcome -> completion.done(outcome.map(bytes -> new PeerReply.Piece(whole, bytes))));
    }

    private ChunkInfo infoOf(Production production, int slot) {
        Made made = all.get(production);
        return made == null ? ChunkInfo.NOTHING : made.infos.get(slot);
    }

    void end(ExchangeId exchange) {
        removeIf(entry -> entry.getKey().exchange().equals(exchange));
    }

    void expire(long now) {
        removeIf(entry -> entry.getValue().deadlineNanos - now <= 0);
    }

    private void removeIf(Predicate<Map.Entry<Production, Made>> which) {
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
