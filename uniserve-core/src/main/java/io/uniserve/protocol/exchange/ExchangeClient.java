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
import io.uniserve.protocol.message.ScatterOutput;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Fetcher of chunks from other servers. A chunk is fetched once per server, for all gathers there that need it. It comes in pieces with
 * positions, so a repeated piece adds nothing twice. Requests are limited by the room for incoming chunks, so producers never have to wait
 * or discard. Each producer has a queue of its own and at most half of the room that the others leave. So a silent producer does not block
 * the others. A producer that has not replied yet gets one request at a time, others get two. One message carries parts of as many chunks
 * as fit.
 */
final class ExchangeClient {
    private static final long BACKOFF_NANOS = 100_000_000;
    /** Messages per producer: while one is under way, the next is prepared. More would only wait as copies outside of the heap. */
    private static final int MESSAGES_AHEAD = 2;

    private final Timers timers;
    private final Network network;
    private final ChunkStore store;
    private final ExchangeLimits limits;
    private final Map<Key, Remote> remotes = new LinkedHashMap<>();
    /** Producers with chunks that have not arrived yet. */
    private final Map<Address, Producer> producers = new LinkedHashMap<>();
    /** Bytes of chunks that are arriving and not stored yet. */
    private long assembling;
    /** The only chunk that was admitted beyond the limit. */
    private @Nullable Remote extra;

    private boolean pumping;

    private record Key(ScatterOutput production, int slot) {
        @Override
        public int hashCode() {
            return production.hashCode() * 31 + slot;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that && slot == that.slot && production.equals(that.production);
        }
    }

    /** Callback for a chunk that has arrived, or has failed. */
    interface Waiter {
        void arrived(@Nullable UniserveException failure);
    }

    /** A server with chunks for this one. */
    private final class Producer {
        private final Address address;
        private final ArrayDeque<Remote> queue = new ArrayDeque<>();
        /**
         * {@code assembling}: bytes of room that its chunks take. {@code asked}: bytes of pieces that are requested, or will be after a
         * pause.
         */
        private long assembling;

        private long asked;
        /** True if its last reply was no error. */
        private boolean answers;

        private Producer(Address address) {
            this.address = address;
        }

        /** Sends one message with as many parts as it may carry; false if there is nothing to request, or no room. */
        private boolean ask() {
            if (asked > 0 && (!answers || asked + limits.pieceBytes() > askedMax())) {
                return false;
            }
            List<Part> parts = new ArrayList<>();
            int room = limits.pieceBytes();
            while (room > 0 && parts.size() < Limits.EXCHANGE_PULL_PARTS_MAX) {
                Remote first = queue.peek();
                if (first == null || !admits(first, room)) {
                    break;
                }
                int length = Math.min(room, first.taken - first.next);
                parts.add(new Part(first, first.next, length));
                first.next += length;
                room -= length;
                if (first.next == first.info.bytes()) {
                    queue.remove();
                }
            }
            if (parts.isEmpty()) {
                return false;
            }
            send(parts, 1);
            return true;
        }

        private long askedMax() {
            return Math.min(limits.inFlightBytes() / 2, MESSAGES_AHEAD * (long) limits.pieceBytes());
        }

        /** Takes room for a chunk if its next piece has none: for the whole chunk if the producer replies, else for one message. */
        private boolean admits(Remote chunk, int message) {
            if (chunk.next < chunk.taken) {
                return true;
            }
            int rest = chunk.info.bytes() - chunk.taken;
            int size = answers ? rest : Math.min(rest, message);
            long others = ExchangeClient.this.assembling - assembling;
            boolean alone = assembling == chunk.taken;
            boolean share = alone || assembling + size <= (limits.inFlightBytes() - others) / 2;
            if (share && ExchangeClient.this.assembling + size <= limits.inFlightBytes()) {
                chunk.take(size);
                return true;
            }
            boolean more = extra == chunk || (extra == null && (answers || ExchangeClient.this.assembling == 0));
            if (alone && more) {
                extra = chunk;
                chunk.take(size);
                return true;
            }
            return false;
        }

        private void send(List<Part> parts, int attempt) {
            long bytes = parts.stream().mapToLong(Part::length).sum();
            asked += bytes;
            // Requested bytes count until they arrive or are not needed any more, so a silent producer gets no more
            // requests.
            PeerRequest request = new PeerRequest.PullChunks(parts.stream()
                    .map(part -> new PullChunk(part.of.key.production, part.of.key.slot, part.offset, part.length))
                    .toList());
            network.call(address, request, limits.pullTimeoutNanos(), outcome -> {
                asked -= bytes;
                answers = outcome instanceof Outcome.Ok<PeerReply>;
                if (outcome instanceof Outcome.Ok<PeerReply> ok) {
                    arrived(parts, ok.value());
                } else {
                    failed(parts, attempt, outcome.error());
                }
                pump();
            });
        }

        private void arrived(List<Part> parts, PeerReply reply) {
            List<PeerReply.Piece> pieces = reply instanceof PeerReply.Pieces some ? some.pieces() : List.of();
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                if (!part.of.over) {
                    part.of.answered(part, i < pieces.size() ? pieces.get(i) : null);
                }
            }
        }

        private void failed(List<Part> parts, int attempt, UniserveException error) {
            List<Part> left = parts.stream().filter(part -> !part.of.over).toList();
            ErrorCode code = error.code();
            if (!code.retriable() && code != ErrorCode.DEADLINE_EXCEEDED) {
                left.forEach(part -> part.of.fail(part.of.lost(error.reason(), error)));
            } else if (attempt >= limits.pullAttempts()) {
                left.forEach(part -> part.of.fail(part.of.lost("it does not reply: " + error.reason(), error)));
            } else if (!left.isEmpty()) {
                long waiting = left.stream().mapToLong(Part::length).sum();
                asked += waiting;
                timers.after(BACKOFF_NANOS * attempt, () -> {
                    asked -= waiting;
                    List<Part> still =
                            left.stream().filter(part -> !part.of.over).toList();
                    if (!still.isEmpty()) {
                        send(still, attempt + 1);
                    } else {
                        pump();
                    }
                });
            }
        }
    }

    /** A requested part of one chunk. */
    private record Part(Remote of, int offset, int length) {}

    /** One chunk at another server. */
    final class Remote {
        private final Key key;
        private final Producer from;
        private final ChunkInfo info;
        private final List<Waiter> waiters = new ArrayList<>();
        private final TreeMap<Integer, Bytes> pieces = new TreeMap<>();
        private boolean over;
        /** {@code taken}: bytes of room that this chunk has. {@code next}: bytes of it that are requested. */
        private int taken;

        private int next;
        private int received;
        private int users;
        private ChunkStore.@Nullable Stored stored;
        private @Nullable UniserveException failure;

        private Remote(Key key, Producer from, ChunkInfo info) {
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
                pump();
            }
        }

        private void take(int more) {
            taken += more;
            assembling += more;
            from.assembling += more;
        }

        private void stop() {
            if (!over) {
                over = true;
                if (next < info.bytes()) {
                    from.queue.remove(this);
                }
                assembling -= taken;
                from.assembling -= taken;
                pieces.clear();
                if (extra == this) {
                    extra = null;
                }
            }
        }

        private void fail(UniserveException error) {
            if (!over) {
                stop();
                failure = error;
                tell();
            }
        }

        private void tell() {
            List<Waiter> told = List.copyOf(waiters);
            waiters.clear();
            told.forEach(waiter -> waiter.arrived(failure));
        }

        private void answered(Part part, PeerReply.@Nullable Piece piece) {
            if (piece != null && piece.equals(PeerReply.Piece.LOST)) {
                fail(lost("it is no longer kept there", null));
                return;
            }
            if (piece == null || !piece.whole().equals(info) || piece.bytes().size() != part.length) {
                fail(lost("the reply has another chunk, or no piece of it", null));
                return;
            }
            pieces.put(part.offset, piece.bytes());
            received += part.length;
            if (received == info.bytes()) {
                keep(List.copyOf(pieces.values()));
            }
        }

        private void keep(List<Bytes> whole) {
            if (PackedChunk.checksum(whole) != info.checksum()) {
                fail(lost("the checksum differs from that of its end marker", null));
                return;
            }
            store.add(key.production.exchange().query(), whole, outcome -> {
                if (outcome instanceof Outcome.Err<ChunkStore.Stored> err) {
                    fail(here(err.error()));
                } else if (over) {
                    outcome.value().free();
                } else {
                    stored = outcome.value();
                    stop();
                    tell();
                }
                pump();
            });
        }

        /** Converts an error of this server's own store, which another replica's server may not have. */
        private UniserveException here(UniserveException error) {
            return error.code() == ErrorCode.TOO_LARGE
                    ? error
                    : new UniserveException(
                            ErrorCode.UNAVAILABLE,
                            "this server cannot keep a chunk that was sent to it: " + error.reason(),
                            error);
        }

        private UniserveException lost(String why, @Nullable Throwable cause) {
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
    Remote want(ScatterManifest scatterManifest, int slot, Waiter waiter) {
        Key key = new Key(scatterManifest.production(), slot);
        Remote remote = remotes.get(key);
        if (remote == null) {
            Producer from = producers.computeIfAbsent(scatterManifest.server(), Producer::new);
            remote = new Remote(key, from, scatterManifest.chunks().get(slot));
            remotes.put(key, remote);
            from.queue.add(remote);
        }
        remote.users++;
        if (remote.over) {
            waiter.arrived(remote.failure);
        } else {
            remote.waiters.add(waiter);
        }
        return remote;
    }

    /** Sends as many requests as there is room for, to each producer in turn. */
    void pump() {
        if (pumping) {
            return; // the loop that calls the waiters continues afterwards
        }
        pumping = true;
        boolean more = true;
        while (more) {
            more = false;
            for (Producer producer : producers.values()) {
                more |= producer.ask();
            }
        }
        producers
                .values()
                .removeIf(producer -> producer.queue.isEmpty() && producer.assembling == 0 && producer.asked == 0);
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
