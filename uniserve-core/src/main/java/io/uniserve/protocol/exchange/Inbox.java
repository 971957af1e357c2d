package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.protocol.env.Network;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.Production;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Chunks on their way here. A chunk is asked for once a server, however many gathers there want it, in pieces, each by its
 * place in the chunk: a piece that is asked for again can add nothing twice. No more is asked for than there is room for, so
 * producers never have to wait or to throw away.
 */
final class Inbox {
    private static final long BACKOFF_NANOS = 100_000_000;

    private final Timers timers;
    private final Network network;
    private final ChunkStore store;
    private final ExchangeLimits limits;
    private final Map<Key, Remote> remotes = new LinkedHashMap<>();
    private final ArrayDeque<Remote> queue = new ArrayDeque<>();
    /** Bytes of chunks that have begun to come and are not stored yet. */
    private long assembling;
    /** Bytes of pieces that are asked for. */
    private long asked;

    private record Key(Production production, int slot) {}

    /** Hears when a chunk is here, or why it is not. */
    interface Waiter {
        void arrived(@Nullable UniserveException failure);
    }

    /** One chunk that others have. */
    final class Remote {
        private final Key key;
        private final Address from;
        private final ChunkInfo info;
        private final List<Waiter> waiters = new ArrayList<>();
        private byte[] buffer = {};
        private boolean started;
        private boolean over;
        private int next;
        private int received;
        private int users;
        private ChunkStore.@Nullable Stored stored;
        private @Nullable UniserveException failure;

        private Remote(Key key, Address from, ChunkInfo info) {
            this.key = key;
            this.from = from;
            this.info = info;
        }

        /** The chunk once it has arrived. */
        ChunkStore.@Nullable Stored stored() {
            return stored;
        }

        /** Lets go of it; what nobody wants is not waited for. */
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

        private void stop() {
            if (!over) {
                over = true;
                queue.remove(this);
                if (started) {
                    assembling -= info.bytes();
                    buffer = new byte[0];
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

        private void piece(int offset, int length, int attempt) {
            asked += length;
            PeerRequest request = new PeerRequest.PullChunk(key.production, key.slot, offset, length);
            network.call(from, request, limits.pullTimeoutNanos(), outcome -> {
                asked -= length;
                if (!over) {
                    answered(offset, length, attempt, outcome);
                }
                pump();
            });
        }

        private void answered(int offset, int length, int attempt, Outcome<PeerReply> outcome) {
            if (outcome instanceof Outcome.Err<PeerReply> err) {
                ErrorCode code = err.error().code();
                if (code == ErrorCode.EXCHANGE_LOST || !code.retriable() && code != ErrorCode.DEADLINE_EXCEEDED) {
                    fail(lost(err.error().reason(), err.error()));
                } else if (attempt >= limits.pullAttempts()) {
                    fail(lost("it does not answer: " + err.error().reason(), err.error()));
                } else {
                    timers.after(BACKOFF_NANOS * attempt, () -> {
                        if (!over) {
                            piece(offset, length, attempt + 1);
                        }
                    });
                }
                return;
            }
            boolean fits = ((Outcome.Ok<PeerReply>) outcome).value() instanceof PeerReply.Piece piece
                    && piece.whole().equals(info)
                    && piece.bytes().size() == length;
            if (!fits) {
                fail(lost("it answers with another chunk, or with no piece of one", null));
                return;
            }
            ((PeerReply.Piece) ((Outcome.Ok<PeerReply>) outcome).value())
                    .bytes()
                    .copyTo(buffer, offset);
            received += length;
            if (received == info.bytes()) {
                keep(Bytes.wrap(buffer));
            }
        }

        private void keep(Bytes whole) {
            if (PackedChunk.checksum(whole) != info.checksum()) {
                fail(lost("the checksum differs from that of its end marker", null));
                return;
            }
            store.add(key.production.exchange().query(), whole, outcome -> {
                if (outcome instanceof Outcome.Err<ChunkStore.Stored> err) {
                    fail(err.error());
                } else if (over) {
                    ((Outcome.Ok<ChunkStore.Stored>) outcome).value().free();
                } else {
                    stored = ((Outcome.Ok<ChunkStore.Stored>) outcome).value();
                    stop();
                    tell();
                }
                pump();
            });
        }

        private UniserveException lost(String why, @Nullable Throwable cause) {
            return new UniserveException(
                    ErrorCode.EXCHANGE_LOST,
                    "the chunk for slot " + key.slot + " of " + key.production + " cannot be had from " + from + ": "
                            + why,
                    cause);
        }
    }

    Inbox(Timers timers, Network network, ChunkStore store, ExchangeLimits limits) {
        this.timers = timers;
        this.network = network;
        this.store = store;
        this.limits = limits;
    }

    /** Has a chunk come, unless it does already. To be released; the waiter is called now where it is known how it ends. */
    Remote want(Receipt receipt, int slot, Waiter waiter) {
        Key key = new Key(receipt.production(), slot);
        Remote remote = remotes.get(key);
        if (remote == null) {
            remote = new Remote(key, receipt.server(), receipt.chunks().get(slot));
            remotes.put(key, remote);
            queue.add(remote);
        }
        remote.users++;
        if (remote.over) {
            waiter.arrived(remote.failure);
        } else {
            remote.waiters.add(waiter);
        }
        return remote;
    }

    /** Asks for as much as there is room for. */
    void pump() {
        for (Remote first = queue.peek(); first != null; first = queue.peek()) {
            if (!first.started) {
                if (assembling > 0 && assembling + first.info.bytes() > limits.inFlightBytes()) {
                    return;
                }
                first.started = true;
                first.buffer = new byte[first.info.bytes()];
                assembling += first.info.bytes();
            }
            while (first.next < first.info.bytes()) {
                int length = Math.min(limits.pieceBytes(), first.info.bytes() - first.next);
                if (asked > 0 && asked + length > limits.inFlightBytes()) {
                    return;
                }
                int offset = first.next;
                first.next += length;
                first.piece(offset, length, 1);
            }
            queue.remove(first);
        }
    }

    int size() {
        return remotes.size();
    }

    /** Bytes that are being received: for tests of their bound. */
    long assembling() {
        return assembling;
    }

    long asked() {
        return asked;
    }
}
