package io.uniserve.protocol.exchange;

import static io.uniserve.protocol.exchange.ExchangeWorld.SECOND;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.client.query.QueryResult;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Outcome;
import io.uniserve.protocol.env.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Reads of the stages of a plan, on actors with two replicas each. A read goes to one replica and, without an answer, to another; some run
 * twice. Every actor scatters the same numbers on any replica.
 */
final class SimulatedReads implements ShuffleStateMachine.Reads {
    private static final int TRIES = 8;

    private final ExchangeWorld world;
    private final Random random;
    private final int servers;
    /** True: it adds the rows of earlier failed attempts, like a consumer that does not distinguish attempts. */
    private final boolean countsAttemptsTwice;

    private long gatheredBefore;

    SimulatedReads(ExchangeWorld world, Random random, int servers, boolean countsAttemptsTwice) {
        this.world = world;
        this.random = random;
        this.servers = servers;
        this.countsAttemptsTwice = countsAttemptsTwice;
    }

    /** The numbers of a source for a slot. */
    static List<Integer> numbers(int stage, int actor, int slot) {
        List<Integer> numbers = new ArrayList<>();
        for (int i = 0; i < (actor * 5 + slot * 3 + stage) % 7; i++) {
            numbers.add(1 + actor * 1_000 + slot * 100 + stage * 10 + i);
        }
        return numbers;
    }

    /** The output of a map at an actor for its input. */
    static List<Integer> mapped(List<Integer> numbers, int slots, int slot) {
        return numbers.stream().filter(number -> (number / 7) % slots == slot).toList();
    }

    @Override
    public Timers.Cancel read(ShuffleStateMachine.StageRead asked, Completion<QueryResult> completion) {
        Read read = new Read(asked, completion);
        asked.actors().forEach(actor -> read.ask(actor, TRIES));
        return () -> read.over = true;
    }

    private final class Read {
        private final String operator;
        private final Bytes parameters;
        private final List<Integer> actors;
        private final Completion<QueryResult> completion;
        private final Map<Integer, Bytes> values = new TreeMap<>();
        private boolean over;

        private Read(ShuffleStateMachine.StageRead asked, Completion<QueryResult> completion) {
            this.operator = asked.operator();
            this.parameters = asked.parameters();
            this.actors = asked.actors();
            this.completion = completion;
        }

        private void ask(int actor, int tries) {
            if (over || values.containsKey(actor)) {
                return;
            }
            if (tries == 0) {
                fail(new UniserveException(ErrorCode.UNAVAILABLE, "no replica of actor " + actor));
                return;
            }
            int server = (actor + random.nextInt(2)) % servers;
            world.loop.after(random.nextLong(SECOND / 100), () -> run(server, actor));
            if (random.nextInt(4) == 0) {
                int twice = (actor + random.nextInt(2)) % servers;
                world.loop.after(random.nextLong(SECOND), () -> run(twice, actor));
            }
            world.loop.after(2 * SECOND, () -> ask(actor, tries - 1));
        }

        private void run(int server, int actor) {
            if (!world.up(server)) {
                return;
            }
            if (operator.equals("scatter")) {
                ScatterEnvelope frame = ScatterEnvelope.CODEC.decode(parameters);
                Map<Integer, Bytes> chunks = new TreeMap<>();
                for (int slot = 0; slot < frame.slots(); slot++) {
                    List<Integer> numbers = numbers(frame.stage(), actor, slot);
                    if (!numbers.isEmpty()) {
                        chunks.put(slot, ExchangeWorld.numbers(numbers));
                    }
                }
                world.scatter(
                        server,
                        frame,
                        actor,
                        chunks,
                        30 * SECOND,
                        outcome -> reply(actor, outcome.map(ScatterManifest.CODEC::encode)));
            } else {
                GatherEnvelope frame = GatherEnvelope.CODEC.decode(parameters);
                world.machine(server).fetchInputs(frame, List.of(actor), 30 * SECOND, outcome -> {
                    if (outcome instanceof Outcome.Ok<ExchangeInput> ok) {
                        ArrayList<ExchangeInput.Arrival> left =
                                new ArrayList<>(ok.value().arrivals());
                        take(actor, ok.value(), left, new ArrayList<>(), all -> took(server, frame, actor, all));
                    } else {
                        reply(actor, Outcome.err(((Outcome.Err<ExchangeInput>) outcome).error()));
                    }
                });
            }
        }

        /** Ends a gather with its answer, or a map with its output. */
        private void took(int server, GatherEnvelope frame, int actor, List<Integer> all) {
            if (frame.output().isEmpty()) {
                reply(
                        actor,
                        Outcome.ok(Codecs.LONG.encode(
                                all.stream().mapToLong(Integer::longValue).sum())));
                return;
            }
            GatherEnvelope.Output output = frame.output().get();
            ScatterEnvelope made = new ScatterEnvelope(frame.exchange(), output.stage(), output.slots(), Bytes.EMPTY);
            Map<Integer, Bytes> chunks = new TreeMap<>();
            for (int slot = 0; slot < output.slots(); slot++) {
                List<Integer> numbers = mapped(all, output.slots(), slot);
                if (!numbers.isEmpty()) {
                    chunks.put(slot, ExchangeWorld.numbers(numbers));
                }
            }
            if (world.up(server)) {
                Codec<GatherResult<ScatterManifest>> codec = GatherResult.codec(ScatterManifest.CODEC);
                world.scatter(
                        server,
                        made,
                        actor,
                        chunks,
                        30 * SECOND,
                        outcome -> reply(
                                actor,
                                outcome.map(scatterManifest ->
                                        codec.encode(new GatherResult<>(scatterManifest, 0, 0, 0, 0, Set.of())))));
            }
        }

        private void take(
                int actor,
                ExchangeInput exchangeInput,
                List<ExchangeInput.Arrival> left,
                List<Integer> all,
                Consumer<List<Integer>> then) {
            if (left.isEmpty()) {
                exchangeInput.close();
                then.accept(all);
                return;
            }
            left.remove(0).read(outcome -> {
                if (outcome instanceof Outcome.Ok<List<Bytes>> ok) {
                    BinaryReader in = new BinaryReader(ChunkCompressor.unpack(ChunkCompressor.join(ok.value())));
                    while (in.remaining() > 0) {
                        all.add(in.readInt());
                    }
                    take(actor, exchangeInput, left, all, then);
                } else {
                    exchangeInput.close();
                    reply(actor, Outcome.err(((Outcome.Err<List<Bytes>>) outcome).error()));
                }
            });
        }

        private void reply(int actor, Outcome<Bytes> outcome) {
            boolean lost = random.nextInt(10) == 0;
            if (!lost) {
                world.loop.after(random.nextLong(SECOND / 100), () -> took(actor, outcome));
            }
        }

        private void took(int actor, Outcome<Bytes> outcome) {
            if (over) {
                return;
            }
            if (outcome instanceof Outcome.Err<Bytes> err) {
                if (err.error().code() == ErrorCode.EXCHANGE_LOST) {
                    fail(err.error());
                }
                return;
            }
            values.putIfAbsent(actor, ((Outcome.Ok<Bytes>) outcome).value());
            if (values.size() == actors.size()) {
                over = true;
                completion.done(Outcome.ok(result()));
            }
        }

        private QueryResult result() {
            List<Bytes> parts = new ArrayList<>(values.values());
            if (operator.equals("gather") && countsAttemptsTwice) {
                parts.set(
                        0,
                        new BinaryWriter()
                                .writeLong(Codecs.LONG.decode(parts.get(0)) + gatheredBefore)
                                .toBytes());
            }
            return new QueryResult(
                    parts,
                    values.keySet().stream().map(List::of).toList(),
                    new QueryResult.Stats(values.size(), 0, 0, Set.of()));
        }

        private void fail(UniserveException error) {
            if (!over) {
                over = true;
                if (operator.equals("gather")) {
                    values.values().forEach(value -> gatheredBefore += Codecs.LONG.decode(value));
                }
                completion.done(Outcome.err(error));
            }
        }
    }
}
