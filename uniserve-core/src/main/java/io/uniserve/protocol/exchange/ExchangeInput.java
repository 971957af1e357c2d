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

/** All chunks that one server's gathers of one request want: here, complete and checked, until it is closed. */
public final class ExchangeInput {
    private final List<Arrival> arrivals = new ArrayList<>();
    private final List<ExchangeClient.Remote> remotes = new ArrayList<>();
    /** The same, to find one again: what is broadcast is one for all slots. */
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

        /** The actor whose slot it is for. */
        public int actor() {
            return actor;
        }

        /** The scatter it is of. */
        public int input() {
            return wanted.input();
        }

        /** The actor it was scattered from. */
        public int source() {
            return wanted.receipt().production().actor();
        }

        /** Rows in it. */
        public long rows() {
            return wanted.info().rows();
        }

        /** Bytes as it is kept. */
        public int bytes() {
            return wanted.info().bytes();
        }

        /** CRC32C of these, by its end marker. */
        public int checksum() {
            return wanted.info().checksum();
        }

        /** True where it came from another server. */
        public boolean sent() {
            return remote != null;
        }

        /** True where it came from another server for this slot, or for several of which this is the first: a chunk comes once. */
        public boolean sentFirst() {
            return sent() && first;
        }

        /** True where it is in a file. */
        public boolean spilled() {
            ChunkStore.Stored stored = stored();
            return stored != null && stored.spilled();
        }

        /** The packed bytes, in parts that {@link PackedChunk#join} joins; on the machine's loop. */
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
            remote.release(); // it failed before
            return;
        }
        remotes.add(remote);
        arrivals.add(new Arrival(actor, wanted, remote, null, known.add(remote)));
    }

    void here(int actor, GatherEnvelope.Wanted wanted, ChunkStore.Stored stored) {
        arrivals.add(new Arrival(actor, wanted, null, stored, true));
    }

    /** All that is wanted has been named. */
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

    /** The chunks, for all slots. */
    public List<Arrival> arrivals() {
        return List.copyOf(arrivals);
    }

    /** Lets go of what has come and no more waits for the rest; nothing is told any more. Idempotent; on the machine's loop. */
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
