package io.uniserve.protocol.exchange;

import io.uniserve.api.plan.Distribution;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
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
import io.uniserve.protocol.testing.TestingDisk;
import io.uniserve.protocol.testing.TestingLoop;
import io.uniserve.protocol.testing.TestingNetwork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** Servers with exchanges, in virtual time. */
final class ExchangeWorld {
    static final long SECOND = 1_000_000_000L;

    final TestingLoop loop = new TestingLoop();
    final TestingNetwork network = new TestingNetwork(loop);
    /** Requested parts of chunks, and the messages with these requests. */
    final List<PullChunk> pulls = new ArrayList<>();

    final List<PeerRequest.PullChunks> messages = new ArrayList<>();
    final Map<Integer, TestingDisk> disks = new TreeMap<>();
    private final Map<Integer, ExchangeStateMachine> machines = new HashMap<>();
    private final ExchangeLimits limits;
    /** Change of replies in transit. */
    UnaryOperator<PeerReply.Piece> replies = piece -> piece;

    private long lives;

    ExchangeWorld(int servers, ExchangeLimits limits) {
        this.limits = limits;
        for (int server = 0; server < servers; server++) {
            disks.put(server, new TestingDisk(loop));
            start(server);
        }
    }

    /** Limits with small pieces, so that chunks arrive in several. */
    static ExchangeLimits limits(long memory, long files) {
        return new ExchangeLimits(memory, 4 * memory, files, 4 * files, 64, 10, SECOND, 3);
    }

    static Address address(int server) {
        return new Address("server" + server, 1);
    }

    ExchangeStateMachine machine(int server) {
        ExchangeStateMachine machine = machines.get(server);
        if (machine == null) {
            throw new IllegalArgumentException("server " + server + " is down");
        }
        return machine;
    }

    boolean up(int server) {
        return machines.containsKey(server);
    }

    /** Starts a new process, without the state of the previous one. */
    void start(int server) {
        ExchangeStateMachine machine = new ExchangeStateMachine(
                loop, loop, network, disk(server), address(server), limits, 1_000_000 * ++lives);
        machines.put(server, machine);
        machine.start(done -> {});
        network.serve(address(server), (request, completion) -> {
            if (request instanceof PeerRequest.PullChunks pull) {
                messages.add(pull);
                pulls.addAll(pull.parts());
            }
            machine.onPeer(request, outcome -> completion.done(outcome.map(this::changed)));
        });
    }

    private PeerReply changed(PeerReply reply) {
        return reply instanceof PeerReply.Pieces some
                ? new PeerReply.Pieces(some.pieces().stream().map(replies).toList())
                : reply;
    }

    TestingDisk disk(int server) {
        TestingDisk disk = disks.get(server);
        if (disk == null) {
            throw new IllegalArgumentException("no server " + server);
        }
        return disk;
    }

    /** Kills the process; its scratch files are lost. Its machine runs on without effect, as no message reaches it. */
    void crash(int server) {
        machines.remove(server);
        network.stop(address(server));
        disk(server).crash(0);
        disks.put(server, new TestingDisk(loop));
    }

    /** Chunk of this many bytes, different for each seed. */
    static Bytes chunk(int size, int seed) {
        BinaryWriter out = new BinaryWriter();
        for (int i = 0; i < size; i++) {
            out.writeByte(seed * 31 + i * 7);
        }
        return out.toBytes();
    }

    static Bytes numbers(List<Integer> numbers) {
        BinaryWriter out = new BinaryWriter();
        numbers.forEach(out::writeInt);
        return out.toBytes();
    }

    static long sum(Bytes numbers) {
        BinaryReader in = new BinaryReader(numbers);
        long sum = 0;
        while (in.remaining() > 0) {
            sum += in.readInt();
        }
        return sum;
    }

    /** Runs a scatter. It completes once all chunks are stored. */
    void scatter(
            int server,
            ScatterEnvelope frame,
            int actor,
            Map<Integer, Bytes> chunks,
            long remainingNanos,
            Completion<ScatterManifest> completion) {
        ExchangeStateMachine machine = machine(server);
        ScatterRunId scatterOutput;
        try {
            scatterOutput = machine.startRun(frame, actor, remainingNanos);
        } catch (UniserveException e) {
            completion.done(Outcome.err(e));
            return;
        }
        put(machine, scatterOutput, new ArrayList<>(new TreeMap<>(chunks).entrySet()), completion);
    }

    private void put(
            ExchangeStateMachine machine,
            ScatterRunId scatterOutput,
            List<Map.Entry<Integer, Bytes>> left,
            Completion<ScatterManifest> completion) {
        if (left.isEmpty()) {
            completion.done(machine.complete(scatterOutput));
            return;
        }
        Map.Entry<Integer, Bytes> first = left.get(0);
        Bytes packed = ChunkCompressor.pack(first.getValue());
        ChunkInfo info = new ChunkInfo(1, packed.size(), ChunkCompressor.checksum(packed));
        machine.put(scatterOutput, first.getKey(), info, packed, (Outcome<Done> outcome) -> {
            if (outcome instanceof Outcome.Err<Done> err) {
                machine.abandon(scatterOutput);
                completion.done(Outcome.err(err.error()));
            } else {
                put(machine, scatterOutput, left.subList(1, left.size()), completion);
            }
        });
    }

    /** Runs a scatter and waits for it. */
    Outcome<ScatterManifest> scattered(
            int server, ExchangeId id, int stage, int slots, int actor, Map<Integer, Bytes> chunks) {
        AtomicReference<Outcome<ScatterManifest>> ended = new AtomicReference<>();
        scatter(server, new ScatterEnvelope(id, stage, slots, Bytes.EMPTY), actor, chunks, 60 * SECOND, ended::set);
        await(ended);
        return Objects.requireNonNull(ended.get());
    }

    /** Delivers the chunks for these actors and waits for them. */
    Outcome<ExchangeInput> delivered(int server, GatherEnvelope frame, Integer... actors) {
        AtomicReference<Outcome<ExchangeInput>> ended = new AtomicReference<>();
        machine(server).fetchInputs(frame, List.of(actors), 60 * SECOND, ended::set);
        await(ended);
        return Objects.requireNonNull(ended.get());
    }

    private <T> void await(AtomicReference<T> ended) {
        if (!loop.runUntil(() -> ended.get() != null, 100 * SECOND)) {
            throw new AssertionError("nothing came of it in 100 s");
        }
    }

    /** An arrived chunk, unpacked. */
    Bytes read(ExchangeInput.Arrival arrival) {
        AtomicReference<Outcome<List<Bytes>>> ended = new AtomicReference<>();
        arrival.read(ended::set);
        await(ended);
        return ChunkCompressor.unpack(ChunkCompressor.join(value(Objects.requireNonNull(ended.get()))));
    }

    static <T> T value(Outcome<T> outcome) {
        if (outcome instanceof Outcome.Ok<T> ok) {
            return ok.value();
        }
        throw ((Outcome.Err<T>) outcome).error();
    }

    static GatherEnvelope frame(ExchangeId id, List<Integer> actors, ScatterManifest... receipts) {
        return new GatherEnvelope(
                id,
                actors,
                List.of(new GatherEnvelope.Input(0, Distribution.PARTITIONED, List.of(receipts))),
                Optional.empty(),
                Bytes.EMPTY);
    }
}
