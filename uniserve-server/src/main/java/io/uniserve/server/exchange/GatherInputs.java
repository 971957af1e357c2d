package io.uniserve.server.exchange;

import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import io.uniserve.protocol.exchange.ChunkCompressor;
import io.uniserve.protocol.exchange.ExchangeInput;
import io.uniserve.protocol.exchange.ExchangeStateMachine;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.GatherResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Chunks of one request's gathers. Workers read them once they have arrived. Must be closed. */
public final class GatherInputs implements Timers.Cancel, AutoCloseable {
    private final ExchangeHost host;
    private final int count;
    /** Used on the loop only, as is the flag below. */
    private @Nullable ExchangeInput exchangeInput;

    private boolean closed;
    private volatile List<ExchangeInput.Arrival> arrivals = List.of();

    GatherInputs(ExchangeHost host, int count) {
        this.host = host;
        this.count = count;
    }

    void start(
            ExchangeStateMachine machine,
            GatherEnvelope frame,
            String user,
            List<Integer> actors,
            long remainingNanos,
            Consumer<Outcome<GatherInputs>> done) {
        if (closed) {
            return;
        }
        exchangeInput = machine.fetchInputs(frame, user, actors, remainingNanos, outcome -> {
            if (closed) {
                return;
            }
            if (outcome instanceof Outcome.Ok<ExchangeInput> ok) {
                arrivals = ok.value().arrivals();
            }
            done.accept(outcome.map(here -> this));
        });
    }

    /** Chunks of one actor's slot for its operator: one list per scatter, sorted by source. */
    public List<List<Chunk>> chunks(int actor, OperatorContext context) {
        List<List<Chunk>> all = new ArrayList<>();
        for (int input = 0; input < count; input++) {
            all.add(new ArrayList<>());
        }
        for (ExchangeInput.Arrival arrival : arrivals) {
            if (arrival.actor() == actor) {
                all.get(arrival.input()).add(new Arrived(arrival, context));
            }
        }
        all.forEach(chunks -> chunks.sort(Comparator.comparingInt(Chunk::source)));
        return all;
    }

    /** The actor's value with the statistics of its chunks. */
    public <V> GatherResult<V> withStats(int actor, V value) {
        long rows = 0;
        long bytes = 0;
        long sent = 0;
        long spilled = 0;
        for (ExchangeInput.Arrival arrival : arrivals) {
            if (arrival.actor() == actor) {
                rows += arrival.rows();
                bytes += arrival.bytes();
                sent += arrival.isFirstRemote() ? arrival.bytes() : 0;
                spilled += arrival.isFirstRemote() && arrival.isSpilled() ? arrival.bytes() : 0;
            }
        }
        return new GatherResult<>(
                value, rows, bytes, sent, spilled, Set.of(host.self().toString()));
    }

    /** Cancels: {@code done} is not called any more. Thread-safe; idempotent. */
    @Override
    public void cancel() {
        close();
    }

    @Override
    public void close() {
        host.execute(() -> {
            closed = true;
            ExchangeInput present = exchangeInput;
            if (present != null) {
                present.close();
            }
        });
    }

    private final class Arrived implements Chunk {
        private final ExchangeInput.Arrival arrival;
        private final OperatorContext context;

        private Arrived(ExchangeInput.Arrival arrival, OperatorContext context) {
            this.arrival = arrival;
            this.context = context;
        }

        @Override
        public int source() {
            return arrival.source();
        }

        @Override
        public long rows() {
            return arrival.rows();
        }

        @Override
        public Bytes read() {
            context.checkActive();
            Bytes packed = ChunkCompressor.join(
                    host.await(context.remainingNanos(), future -> arrival.read(future::complete)));
            // Chunks are checked on arrival; a file may have been damaged since.
            if (arrival.isSpilled() && ChunkCompressor.checksum(packed) != arrival.checksum()) {
                throw new UniserveException( // for the producer's file, EXCHANGE_LOST; for the copy here, UNAVAILABLE
                        arrival.isRemote() ? ErrorCode.UNAVAILABLE : ErrorCode.EXCHANGE_LOST,
                        "the file of a chunk of actor " + source() + " is damaged");
            }
            return ChunkCompressor.unpack(packed);
        }
    }
}
