package io.uniserve.protocol.exchange;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All chunks for one server's gathers of one request: complete, verified, and kept until this is closed. */
public final class ExchangeInput {
    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<ExchangeClient.RemoteChunk> remotes = new ArrayList<>();
    /** The same chunks as a set: a broadcast chunk is the same for all slots. */
    private final Set<ExchangeClient.RemoteChunk> known = new LinkedHashSet<>();

    private final Completion<ExchangeInput> completion;
    private final Runnable onClose;
    private Timers.Cancel deadline = () -> {};
    private int open = 1;
    private boolean completed;
    private boolean closed;

    /** One chunk of one slot. */
    public static final class Arrival {
        private final int actor;
        private final GatherEnvelope.RequiredChunk wanted;
        private final ExchangeClient.@Nullable RemoteChunk remote;
        private final ChunkStore.@Nullable Stored local;
        private final boolean first;

        private Arrival(
                int actor,
                GatherEnvelope.RequiredChunk wanted,
                ExchangeClient.@Nullable RemoteChunk remote,
                ChunkStore.@Nullable Stored local,
                boolean first) {
            this.actor = actor;
            this.wanted = wanted;
            this.remote = remote;
            this.local = local;
            this.first = first;
        }

        /** The actor with the slot that the chunk is for. */
        public int actor() {
            return actor;
        }

        /** Position of the scatter among the gather's inputs. */
        public int input() {
            return wanted.input();
        }

        /** The actor that was scattered. */
        public int source() {
            return wanted.manifest().output().actor();
        }

        /** Number of rows in the chunk. */
        public long rows() {
            return wanted.info().rows();
        }

        /** Size in bytes as stored. */
        public int bytes() {
            return wanted.info().bytes();
        }

        /** CRC32C of these bytes, from the end marker. */
        public int checksum() {
            return wanted.info().checksum();
        }

        /** True if another server sent it. */
        public boolean isRemote() {
            return remote != null;
        }

        /** True if another server sent it and this is the first slot that needs it: a chunk is sent once per server. */
        public boolean isFirstRemote() {
            return isRemote() && first;
        }

        /** True if it is in a file. */
        public boolean isSpilled() {
            ChunkStore.Stored stored = stored();
            return stored != null && stored.isSpilled();
        }

        /** Reads the packed bytes, in parts for {@link ChunkCompressor#join}; on the machine's loop. */
        public void read(Completion<List<Bytes>> completion) {
            ChunkStore.Stored stored = stored();
            if (stored == null) {
                completion.done(Outcome.err(ChunkStore.lostError()));
            } else {
                stored.readAll(completion);
            }
        }

        private ChunkStore.@Nullable Stored stored() {
            return remote == null ? local : remote.stored();
        }
    }

    ExchangeInput(Completion<ExchangeInput> completion, Runnable onClose) {
        this.completion = completion;
        this.onClose = onClose;
    }

    void addRemote(int actor, GatherEnvelope.RequiredChunk wanted, String user, ExchangeClient exchangeClient) {
        if (closed) {
            return;
        }
        open++;
        ExchangeClient.RemoteChunk remote =
                exchangeClient.fetch(wanted.manifest(), wanted.slot(), user, this::onArrived);
        if (closed) {
            remote.release(); // it has already failed
            return;
        }
        remotes.add(remote);
        arrivals.add(new Arrival(actor, wanted, remote, null, known.add(remote)));
    }

    void addLocal(int actor, GatherEnvelope.RequiredChunk wanted, ChunkStore.Stored stored) {
        arrivals.add(new Arrival(actor, wanted, null, stored, true));
    }

    /** Called when all needed chunks were added. */
    void awaitAll(Timers timers, long remainingNanos) {
        if (closed) {
            return;
        }
        deadline = timers.after(
                remainingNanos,
                () -> fail(new UniserveException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "the query's deadline has passed while its chunks were under way")));
        onArrived(null);
    }

    private void onArrived(@Nullable UniserveException failure) {
        if (failure != null) {
            fail(failure);
        } else if (--open == 0 && !completed) {
            completed = true;
            completion.done(Outcome.ok(this));
        }
    }

    void fail(UniserveException failure) {
        if (!completed) {
            completed = true;
            completion.done(Outcome.err(failure));
        }
        close();
    }

    /** The chunks of all slots. */
    public List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    /** Releases all chunks and stops fetching; there are no callbacks afterwards. Idempotent; on the machine's loop. */
    public void close() {
        if (!closed) {
            closed = true;
            completed = true;
            deadline.cancel();
            remotes.forEach(ExchangeClient.RemoteChunk::release);
            onClose.run();
        }
    }
}
