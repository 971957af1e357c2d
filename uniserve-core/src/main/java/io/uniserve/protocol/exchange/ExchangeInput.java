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
    private final List<ExchangeClient.Remote> remotes = new ArrayList<>();
    /** The same chunks as a set: a broadcast chunk is the same for all slots. */
    private final Set<ExchangeClient.Remote> known = new LinkedHashSet<>();

    private final Completion<ExchangeInput> completion;
    private final Runnable onClose;
    private Timers.Cancel late = () -> {};
    private int open = 1;
    private boolean told;
    private boolean closed;

    /** One chunk of one slot. */
    public static final class Arrival {
        private final int actor;
        private final GatherEnvelope.Wanted wanted;
        private final ExchangeClient.@Nullable Remote remote;
        private final ChunkStore.@Nullable Stored local;
        private final boolean first;

        private Arrival(
                int actor,
                GatherEnvelope.Wanted wanted,
                ExchangeClient.@Nullable Remote remote,
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
            return wanted.receipt().production().actor();
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
        public boolean sent() {
            return remote != null;
        }

        /** True if another server sent it and this is the first slot that needs it: a chunk is sent once per server. */
        public boolean sentFirst() {
            return sent() && first;
        }

        /** True if it is in a file. */
        public boolean spilled() {
            ChunkStore.Stored stored = stored();
            return stored != null && stored.spilled();
        }

        /** Reads the packed bytes, in parts for {@link PackedChunk#join}; on the machine's loop. */
        public void read(Completion<List<Bytes>> completion) {
            ChunkStore.Stored stored = stored();
            if (stored == null) {
                completion.done(Outcome.err(ChunkStore.lost()));
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

    void want(int actor, GatherEnvelope.Wanted wanted, ExchangeClient exchangeClient) {
        if (closed) {
            return;
        }
        open++;
        ExchangeClient.Remote remote = exchangeClient.want(wanted.receipt(), wanted.slot(), this::arrived);
        if (closed) {
            remote.release(); // it has already failed
            return;
        }
        remotes.add(remote);
        arrivals.add(new Arrival(actor, wanted, remote, null, known.add(remote)));
    }

    void here(int actor, GatherEnvelope.Wanted wanted, ChunkStore.Stored stored) {
        arrivals.add(new Arrival(actor, wanted, null, stored, true));
    }

    /** Called when all needed chunks were added. */
    void named(Timers timers, long remainingNanos) {
        if (closed) {
            return;
        }
        late = timers.after(
                remainingNanos,
                () -> fail(new UniserveException(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "the query's deadline has passed while its chunks were under way")));
        arrived(null);
    }

    private void arrived(@Nullable UniserveException failure) {
        if (failure != null) {
            fail(failure);
        } else if (--open == 0 && !told) {
            told = true;
            completion.done(Outcome.ok(this));
        }
    }

    void fail(UniserveException failure) {
        if (!told) {
            told = true;
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
            told = true;
            late.cancel();
            remotes.forEach(ExchangeClient.Remote::release);
            onClose.run();
        }
    }
}
