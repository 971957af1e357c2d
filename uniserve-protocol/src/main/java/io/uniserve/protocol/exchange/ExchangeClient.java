package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PullChunk;
import io.uniserve.protocol.message.ScatterRunId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fetcher of chunks from other servers. A chunk is fetched once per server, for all gathers there that need it. It comes in pieces with
 * positions, so a repeated piece adds nothing twice. Requests are limited by the free memory for incoming chunks, so producers never have
 * to wait or discard. Each producer has a queue of its own and at most half of the memory that the others leave free. So a silent producer
 * does not block the others. A producer that has not replied yet gets one request at a time, others get two. One message carries parts of
 * as many chunks as fit.
 */
final class ExchangeClient {
    private static final long BACKOFF_NANOS = 100_000_000;
    /** Messages per producer: while one is under way, the next is prepared. More would only wait as copies outside of the heap. */
    private static final int MESSAGES_AHEAD = 2;

    private final Timers timers;
    private final Network network;
    private final ChunkStore store;
    private final ExchangeLimits limits;
    private final Map<Key, RemoteChunk> remotes = new LinkedHashMap<>();
    /** Producers with chunks that have not arrived yet. */
    private final Map<Address, Producer> producers = new LinkedHashMap<>();
    /** Bytes of chunks that are arriving and not stored yet. */
    private long assembling;
    /** The only chunk that was admitted beyond the limit. */
    private @Nullable RemoteChunk extra;

    private boolean pumping;

    /** Chunk of a run. Each user has a copy of its own, which counts for it alone. */
    private record Key(ScatterRunId production, int slot, String user) {
        @Override
        public int hashCode() {
            return production.hashCode() * 31 + slot;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that
                    && slot == that.slot
                    && production.equals(that.production)
                    && user.equals(that.user);
        }
    }

    /** Callback for a chunk that has arrived, or has failed. */
    interface Waiter {
        void onArrived(@Nullable UniserveException failure);
    }

    /** A server with chunks for this one. */
    private final class Producer {
        private final Address address;
        private final ArrayDeque<RemoteChunk> queue = new ArrayDeque<>();
        /**
         * {@code assembling}: bytes of memory that its chunks occupy. {@code asked}: bytes of pieces that are requested, or will be after a
         * pause.
         */
        private long assembling;

        private long requestedBytes;
        /** True if its last reply was no error. */
        private boolean responsive;

        private Producer(Address address) {
            this.address = address;
        }

        /** Sends one message with as many parts as it may carry; false if there is nothing to request, or no room. */
        private boolean requestNext() {
            if (requestedBytes > 0 && (!responsive || requestedBytes + limits.pieceBytes() > requestedBytesMax())) {
                return false;
            }
            List<RequestedPart> parts = new ArrayList<>();
            int room = limits.pieceBytes();
            while (room > 0 && parts.size() < Limits.EXCHANGE_PULL_PARTS_MAX) {
                RemoteChunk first = queue.peek();
                if (first == null || !reserveFor(first, room)) {
                    break;
                }
                int length = Math.min(room, first.reservedBytes - first.requestedBytes);
                parts.add(new RequestedPart(first, first.requestedBytes, length));
                first.requestedBytes += length;
                room -= length;
                if (first.requestedBytes == first.info.bytes()) {
                    queue.remove();
                }
            }
            if (parts.isEmpty()) {
                return false;
            }
            send(parts, 1);
            return true;
        }

        private long requestedBytesMax() {
            return Math.min(limits.inFlightBytes() / 2, MESSAGES_AHEAD * (long) limits.pieceBytes());
        }

        /** Takes room for a chunk if its next piece has none: for the whole chunk if the producer replies, else for one message. */
        private boolean reserveFor(RemoteChunk chunk, int message) {
            if (chunk.requestedBytes < chunk.reservedBytes) {
                return true;
            }
            int rest = chunk.info.bytes() - chunk.reservedBytes;
            int size = responsive ? rest : Math.min(rest, message);
            long others = ExchangeClient.this.assembling - assembling;
            boolean alone = assembling == chunk.reservedBytes;
            boolean share = alone || assembling + size <= (limits.inFlightBytes() - others) / 2;
            if (share && ExchangeClient.this.assembling + size <= limits.inFlightBytes()) {
                chunk.reserve(size);
                return true;
            }
            boolean more = extra == chunk || (extra == null && (responsive || ExchangeClient.this.assembling == 0));
            if (alone && more) {
                extra = chunk;
                chunk.reserve(size);
                return true;
            }
            return false;
        }

        private void send(List<RequestedPart> parts, int attempt) {
            long bytes = parts.stream().mapToLong(RequestedPart::length).sum();
            requestedBytes += bytes;
            // Requested bytes count until they arrive or are not needed any more, so a silent producer gets no more
            // requests.
            PeerRequest request = new PeerRequest.PullChunks(parts.stream()
                    .map(part ->
                            new PullChunk(part.chunk.key.production, part.chunk.key.slot, part.offset, part.length))
                    .toList());
            network.call(address, request, limits.pullTimeoutNanos(), outcome -> {
                requestedBytes -= bytes;
                responsive = outcome instanceof Outcome.Ok<PeerReply>;
                if (outcome instanceof Outcome.Ok<PeerReply> ok) {
                    onReply(parts, ok.value());
                } else {
                    onFailure(parts, attempt, outcome.error());
                }
                requestPieces();
            });
        }

        private void onReply(List<RequestedPart> parts, PeerReply reply) {
            List<PeerReply.Piece> pieces = reply instanceof PeerReply.Pieces some ? some.pieces() : List.of();
            for (int i = 0; i < parts.size(); i++) {
                RequestedPart part = parts.get(i);
                if (!part.chunk.ended) {
                    part.chunk.onPiece(part, i < pieces.size() ? pieces.get(i) : null);
                }
            }
        }

        private void onFailure(List<RequestedPart> parts, int attempt, UniserveException error) {
            List<RequestedPart> left =
                    parts.stream().filter(part -> !part.chunk.ended).toList();
            ErrorCode code = error.code();
            if (!code.retriable() && code != ErrorCode.DEADLINE_EXCEEDED) {
                left.forEach(part -> part.chunk.fail(part.chunk.lostError(error.reason(), error)));
            } else if (attempt >= limits.pullAttempts()) {
                left.forEach(
                        part -> part.chunk.fail(part.chunk.lostError("it does not reply: " + error.reason(), error)));
            } else if (!left.isEmpty()) {
                long waiting = left.stream().mapToLong(RequestedPart::length).sum();
                requestedBytes += waiting;
                timers.after(BACKOFF_NANOS * attempt, () -> {
                    requestedBytes -= waiting;
                    List<RequestedPart> still =
                            left.stream().filter(part -> !part.chunk.ended).toList();
                    if (!still.isEmpty()) {
                        send(still, attempt + 1);
                    } else {
                        requestPieces();
                    }
                });
            }
        }
    }

    /** A requested part of one chunk. */
    private record RequestedPart(RemoteChunk chunk, int offset, int length) {}

    /** One chunk at another server. */
    final class RemoteChunk {
        private final Key key;
        private final Producer from;
        private final ChunkInfo info;
        private final List<Waiter> waiters = new ArrayList<>();
        private final TreeMap<Integer, Bytes> pieces = new TreeMap<>();
        private boolean ended;
        /** {@code taken}: bytes of room that this chunk has. {@code next}: bytes of it that are requested. */
        private int reservedBytes;

        private int requestedBytes;
        private int received;
        private int users;
        private ChunkStore.@Nullable Stored stored;
        private @Nullable UniserveException failure;

        private RemoteChunk(Key key, Producer from, ChunkInfo info) {
            this.key = key;
            this.from = from;
            this.info = info;
        }

        /** The chunk once it has arrived; null before. */
        ChunkStore.@Nullable Stored stored() {
            return stored;
        }

        /** Releases the chunk; after the last release it is freed, or no longer fetched. */
        void release() {
            if (--users == 0) {
                remotes.remove(key, this);
                stop();
                ChunkStore.Stored kept = stored;
                if (kept != null) {
                    kept.free();
                }
                requestPieces();
            }
        }

        private void reserve(int more) {
            reservedBytes += more;
            assembling += more;
            from.assembling += more;
        }

        private void stop() {
            if (!ended) {
                ended = true;
                if (requestedBytes < info.bytes()) {
                    from.queue.remove(this);
                }
                assembling -= reservedBytes;
                from.assembling -= reservedBytes;
                pieces.clear();
                if (extra == this) {
                    extra = null;
                }
            }
        }

        private void fail(UniserveException error) {
            if (!ended) {
                stop();
                failure = error;
                notifyWaiters();
            }
        }

        private void notifyWaiters() {
            List<Waiter> told = List.copyOf(waiters);
            waiters.clear();
            told.forEach(waiter -> waiter.onArrived(failure));
        }

        private void onPiece(RequestedPart part, PeerReply.@Nullable Piece piece) {
            if (piece != null && piece.equals(PeerReply.Piece.MISSING)) {
                fail(lostError("it is no longer kept there", null));
                return;
            }
            if (piece == null || !piece.chunk().equals(info) || piece.bytes().size() != part.length) {
                fail(lostError("the reply has another chunk, or no piece of it", null));
                return;
            }
            pieces.put(part.offset, piece.bytes());
            received += part.length;
            if (received == info.bytes()) {
                storeChunk(List.copyOf(pieces.values()));
            }
        }

        private void storeChunk(List<Bytes> whole) {
            if (ChunkCompressor.checksum(whole) != info.checksum()) {
                fail(lostError("the checksum differs from that of its end marker", null));
                return;
            }
            store.add(key.user, key.production.exchange().query(), whole, outcome -> {
                if (outcome instanceof Outcome.Err<ChunkStore.Stored> err) {
                    fail(localStoreError(err.error()));
                } else if (ended) {
                    outcome.value().free();
                } else {
                    stored = outcome.value();
                    stop();
                    notifyWaiters();
                }
                requestPieces();
            });
        }

        /** Converts an error of this server's own store, which another replica's server may not have. */
        private UniserveException localStoreError(UniserveException error) {
            return error.code() == ErrorCode.TOO_LARGE
                    ? error
                    : new UniserveException(
                            ErrorCode.UNAVAILABLE,
                            "this server cannot keep a chunk that was sent to it: " + error.reason(),
                            error);
        }

        private UniserveException lostError(String why, @Nullable Throwable cause) {
            return new UniserveException(
                    ErrorCode.EXCHANGE_LOST,
                    "the chunk for slot " + key.slot + " of " + key.production + " not received from " + from.address
                            + ": " + why,
                    cause);
        }
    }

    ExchangeClient(Timers timers, Network network, ChunkStore store, ExchangeLimits limits) {
        this.timers = timers;
        this.network = network;
        this.store = store;
        this.limits = limits;
    }

    /** Fetches a chunk, unless that is under way. Release the result. The waiter is called at once if the outcome is known. */
    RemoteChunk fetch(ScatterManifest scatterManifest, int slot, String user, Waiter waiter) {
        Key key = new Key(scatterManifest.output(), slot, user);
        RemoteChunk remote = remotes.get(key);
        if (remote == null) {
            Producer from = producers.computeIfAbsent(scatterManifest.server(), Producer::new);
            remote = new RemoteChunk(key, from, scatterManifest.chunks().get(slot));
            remotes.put(key, remote);
            from.queue.add(remote);
        }
        remote.users++;
        if (remote.ended) {
            waiter.onArrived(remote.failure);
        } else {
            remote.waiters.add(waiter);
        }
        return remote;
    }

    /** Sends as many requests as there is room for, to each producer in turn. */
    void requestPieces() {
        if (pumping) {
            return; // the loop that calls the waiters continues afterwards
        }
        pumping = true;
        boolean more = true;
        while (more) {
            more = false;
            for (Producer producer : producers.values()) {
                more |= producer.requestNext();
            }
        }
        producers
                .values()
                .removeIf(producer ->
                        producer.queue.isEmpty() && producer.assembling == 0 && producer.requestedBytes == 0);
        pumping = false;
    }

    int size() {
        return remotes.size();
    }

    /** Bytes of chunks that are arriving, for tests of the limit. */
    long assembling() {
        return assembling;
    }
}
