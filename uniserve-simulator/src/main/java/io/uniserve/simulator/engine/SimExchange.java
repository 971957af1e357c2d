package io.uniserve.simulator.engine;

import io.uniserve.api.ActorView;
import io.uniserve.api.operator.Chunk;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvActor;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.exchange.ChunkCompressor;
import io.uniserve.protocol.exchange.ExchangeInput;
import io.uniserve.protocol.exchange.ExchangeStateMachine;
import io.uniserve.protocol.exchange.GatherEnvelope;
import io.uniserve.protocol.exchange.GatherResult;
import io.uniserve.protocol.exchange.ScatterEnvelope;
import io.uniserve.protocol.exchange.ScatterManifest;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.ScatterRunId;
import io.uniserve.simulator.kernel.SimProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The exchange of one start of a server: its state machine, and the operators as workers run them. */
public final class SimExchange {
    private static final Codec<GatherResult<ScatterManifest>> MAPPED = GatherResult.codec(ScatterManifest.CODEC);
    private static final long START_AGAIN_NANOS = 1_000_000_000L;

    private final SimProcess process;
    private final ExchangeStateMachine machine;
    private final ChunkTap tap;
    private boolean ready;

    /** Hook that may change a chunk before it is stored. */
    @FunctionalInterface
    public interface ChunkTap {
        Bytes onStored(ScatterRunId scatterOutput, int slot, Bytes chunk);
    }

    public SimExchange(SimProcess process, ExchangeStateMachine machine, ChunkTap tap) {
        this.process = process;
        this.machine = machine;
        this.tap = tap;
    }

    /** Deletes the files of the previous start. It retries until that succeeds. */
    public void start() {
        machine.start(outcome -> {
            ready = outcome instanceof Outcome.Ok<Done>;
            if (!ready) {
                process.post(START_AGAIN_NANOS, this::start);
            }
        });
    }

    /** Handles a request of another server. */
    public void onPeer(PeerRequest request, Completion<PeerReply> completion) {
        if (ready) {
            machine.onPeer(request, completion);
        } else {
            completion.done(Outcome.err(starting()));
        }
    }

    private static UniserveException starting() {
        return new UniserveException(ErrorCode.UNAVAILABLE, "this server starts");
    }

    /** The resources in use now. */
    public ExchangeStateMachine.Usage usage() {
        return machine.usage();
    }

    /** True for operators that produce chunks. */
    boolean scatters(String operator) {
        return operator.equals(ListOperators.SCATTER.id()) || operator.equals(ListOperators.MAP.id());
    }

    /** True for operators that consume chunks. */
    boolean gathers(String operator) {
        return operator.equals(ListOperators.GATHER.id()) || operator.equals(ListOperators.MAP.id());
    }

    /**
     * Runs a scatter or a map. The value is the manifest of the stored chunks.
     *
     * @param arrived the input of a map; null for a scatter
     */
    void scatter(
            Bytes parameters,
            int actor,
            ActorView state,
            @Nullable Arrived arrived,
            long remainingNanos,
            Completion<Bytes> completion) {
        if (arrived != null) {
            map(arrived, actor, state, remainingNanos, completion);
            return;
        }
        TreeMap<Integer, Put> puts = new TreeMap<>();
        ScatterRunId scatterOutput;
        try {
            if (!ready) {
                throw starting();
            }
            ScatterEnvelope frame = ScatterEnvelope.CODEC.decode(parameters);
            scatterOutput = machine.startRun(frame, actor, remainingNanos);
            long salt = ListOperators.SCATTER.parameters().decode(frame.parameters());
            ListOperators.SCATTER.scatter(
                    (KvActor) state,
                    new OperatorRunner.Context(actor),
                    salt,
                    frame.slots(),
                    (slot, rows, chunk) -> puts.put(slot, new Put(slot, rows, chunk)));
        } catch (UniserveException e) {
            completion.done(Outcome.err(e));
            return;
        }
        put(
                scatterOutput,
                new ArrayList<>(puts.values()),
                outcome -> completion.done(outcome.map(ScatterManifest.CODEC::encode)));
    }

    private void map(Arrived arrived, int actor, ActorView state, long remainingNanos, Completion<Bytes> completion) {
        TreeMap<Integer, Put> puts = new TreeMap<>();
        ScatterRunId scatterOutput;
        try {
            GatherEnvelope.Output output = arrived.frame.output().orElseThrow();
            ScatterEnvelope frame =
                    new ScatterEnvelope(arrived.frame.exchange(), output.stage(), output.slots(), Bytes.EMPTY);
            scatterOutput = machine.startRun(frame, actor, remainingNanos);
            ListOperators.MAP.map(
                    (KvActor) state,
                    new OperatorRunner.Context(actor),
                    ListOperators.MAP.parameters().decode(arrived.frame.parameters()),
                    arrived.of(actor),
                    output.slots(),
                    (slot, rows, chunk) -> puts.put(slot, new Put(slot, rows, chunk)));
        } catch (UniserveException e) {
            completion.done(Outcome.err(e));
            return;
        }
        put(
                scatterOutput,
                new ArrayList<>(puts.values()),
                outcome -> completion.done(outcome.map(scatterManifest ->
                        MAPPED.encode(new GatherResult<>(scatterManifest, 0, 0, 0, 0, Set.of(process.name()))))));
    }

    private record Put(int slot, long rows, Bytes chunk) {}

    private void put(ScatterRunId scatterOutput, List<Put> left, Completion<ScatterManifest> completion) {
        if (left.isEmpty()) {
            completion.done(machine.complete(scatterOutput));
            return;
        }
        Put first = left.remove(0);
        Bytes packed = ChunkCompressor.pack(tap.onStored(scatterOutput, first.slot, first.chunk));
        ChunkInfo info = new ChunkInfo(first.rows, packed.size(), ChunkCompressor.checksum(packed));
        machine.put(scatterOutput, first.slot, info, packed, outcome -> {
            if (outcome instanceof Outcome.Err<Done> err) {
                machine.abandon(scatterOutput);
                completion.done(Outcome.err(err.error()));
            } else {
                put(scatterOutput, left, completion);
            }
        });
    }

    /** Fetches all chunks for the gathers of these actors. */
    void deliver(Bytes parameters, List<Integer> actors, long remainingNanos, Completion<Arrived> completion) {
        try {
            if (!ready) {
                throw starting();
            }
            machine.fetchInputs(GatherEnvelope.CODEC.decode(parameters), actors, remainingNanos, outcome -> {
                if (outcome instanceof Outcome.Ok<ExchangeInput> ok) {
                    ExchangeInput exchangeInput = ok.value();
                    new Arrived(GatherEnvelope.CODEC.decode(parameters), exchangeInput)
                            .read(new ArrayList<>(exchangeInput.arrivals()), completion);
                } else {
                    completion.done(Outcome.err(outcome.error()));
                }
            });
        } catch (UniserveException e) {
            completion.done(Outcome.err(e));
        }
    }

    /** The chunks for the gathers of one request. They must be closed. */
    static final class Arrived {
        private final GatherEnvelope frame;
        private final ExchangeInput exchangeInput;
        private final TreeMap<Integer, List<List<Chunk>>> bySlot = new TreeMap<>();

        private Arrived(GatherEnvelope frame, ExchangeInput exchangeInput) {
            this.frame = frame;
            this.exchangeInput = exchangeInput;
        }

        private void read(List<ExchangeInput.Arrival> left, Completion<Arrived> completion) {
            if (left.isEmpty()) {
                completion.done(Outcome.ok(this));
                return;
            }
            ExchangeInput.Arrival first = left.remove(0);
            first.read(outcome -> {
                if (outcome instanceof Outcome.Ok<List<Bytes>> ok
                        && ChunkCompressor.checksum(ok.value()) == first.checksum()) {
                    Bytes whole = ChunkCompressor.unpack(ChunkCompressor.join(ok.value()));
                    of(first.actor()).get(first.input()).add(new Here(first.source(), first.rows(), whole));
                    read(left, completion);
                    return;
                }
                close();
                completion.done(Outcome.err(
                        outcome instanceof Outcome.Err<List<Bytes>> err
                                ? err.error()
                                : new UniserveException(
                                        first.isRemote() ? ErrorCode.UNAVAILABLE : ErrorCode.EXCHANGE_LOST,
                                        "a chunk's file is damaged")));
            });
        }

        private List<List<Chunk>> of(int actor) {
            return bySlot.computeIfAbsent(actor, slot -> {
                List<List<Chunk>> inputs = new ArrayList<>();
                frame.inputs().forEach(input -> inputs.add(new ArrayList<>()));
                return inputs;
            });
        }

        /** The value of one actor's gather. */
        Bytes gather(int actor, ActorView state) {
            long salt = ListOperators.GATHER.parameters().decode(frame.parameters());
            List<ListOperators.Arrival> value =
                    ListOperators.GATHER.gather((KvActor) state, new OperatorRunner.Context(actor), salt, of(actor));
            return ListOperators.GATHER.values().encode(value);
        }

        void close() {
            exchangeInput.close();
        }
    }

    private record Here(int source, long rows, Bytes read) implements Chunk {}
}
