package io.uniserve.testkit.cluster;

import io.uniserve.api.Document;
import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapCall;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.client.ActorSelection;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvOperators;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Key-value engine whose queries are plans of a test. It keeps their results for the test. */
final class PlansEngine extends ExtendedKvEngine {
    /** Scatter. By its parameter it puts the actor's numbers {@code n}, each into the slot of its remainder, or texts, or noise. */
    static final ScatterCall<String> PUT = new ScatterCall<>("test.put@1", Codecs.STRING);
    /** Map that puts the numbers of its input, distributed differently. */
    static final MapCall<String> PASS = new MapCall<>("test.pass@1", Codecs.STRING);
    /** Gather that returns its actor's numbers and those of its chunks, or a description of other chunks. */
    static final GatherCall<String, String> TELL = new GatherCall<>("test.tell@1", Codecs.STRING, Codecs.STRING);

    static final String NUMBERS = "numbers";
    static final String TEXTS = "texts";
    static final String NOISE = "noise";

    private static final int NOISE_BYTES = 5_000;
    private static final int TEXT_LINES = 1_000;

    private final AtomicInteger named = new AtomicInteger();
    private final Map<String, Shuffle<String, String>> plans = new ConcurrentHashMap<>();
    private final Map<String, Shuffle.Result<List<String>>> results = new ConcurrentHashMap<>();

    /** Queries these actors. Returns the values of all slots in their order. */
    Shuffle.Result<List<String>> run(ActorSelection asked, Shuffle<String, String> plan) {
        String name = "plan " + named.incrementAndGet();
        plans.put(name, plan);
        asked.query(name);
        return Objects.requireNonNull(results.get(name));
    }

    /** The chunk for a slot, other than numbers. */
    static Bytes put(String what, int actor, int slot) {
        if (what.equals(NOISE)) {
            byte[] noise = new byte[NOISE_BYTES];
            new Random(31L * actor + slot).nextBytes(noise);
            return Bytes.wrap(noise);
        }
        StringBuilder text = new StringBuilder();
        for (int line = 0; line < TEXT_LINES; line++) {
            text.append("row ")
                    .append(line)
                    .append(" of actor ")
                    .append(actor)
                    .append(" for slot ")
                    .append(slot);
        }
        return Bytes.utf8(text.toString());
    }

    /** The chunk of numbers. */
    static Bytes put(List<Long> numbers) {
        BinaryWriter out = new BinaryWriter();
        numbers.forEach(out::writeLong);
        return out.toBytes();
    }

    /** The description that a gather returns, per input by source. */
    static String told(int actor, Object own, List<? extends Map<Integer, ?>> inputs) {
        return String.format("%02d has %s, gets %s", actor, own, inputs);
    }

    /** The description of a chunk without numbers. */
    static String told(Bytes chunk) {
        return chunk.size() + " bytes " + Integer.toHexString(chunk.hashCode());
    }

    private static List<Long> numbers(KvActor actor, OperatorContext context) {
        List<Long> numbers = new ArrayList<>();
        for (Document document : KvOperators.SCAN.retrieve(actor, context, new KvOperators.Scan("", 10_000))) {
            if (document.fields().get("n") instanceof Long number) {
                numbers.add(number);
            }
        }
        return numbers.stream().sorted().toList();
    }

    private static List<Long> numbers(Chunk chunk) {
        List<Long> numbers = new ArrayList<>();
        BinaryReader in = new BinaryReader(chunk.read());
        while (in.remaining() > 0) {
            numbers.add(in.readLong());
        }
        return numbers;
    }

    private static void scatter(KvActor actor, OperatorContext context, String what, int slots, ChunkSink sink) {
        for (int slot = 0; slot < slots; slot++) {
            int here = slot;
            if (!what.equals(NUMBERS)) {
                sink.put(slot, 1, put(what, context.actor(), slot));
                continue;
            }
            List<Long> numbers = numbers(actor, context).stream()
                    .filter(number -> number % slots == here)
                    .toList();
            if (!numbers.isEmpty()) {
                sink.put(slot, numbers.size(), put(numbers));
            }
        }
    }

    private static void pass(
            KvActor actor, OperatorContext context, String what, List<List<Chunk>> inputs, int slots, ChunkSink sink) {
        Map<Integer, List<Long>> cut = new TreeMap<>();
        for (List<Chunk> input : inputs) {
            for (Chunk chunk : input) {
                numbers(chunk)
                        .forEach(
                                number -> cut.computeIfAbsent((int) (number / slots % slots), slot -> new ArrayList<>())
                                        .add(number));
            }
        }
        cut.forEach((slot, numbers) ->
                sink.put(slot, numbers.size(), put(numbers.stream().sorted().toList())));
    }

    private static String gather(KvActor actor, OperatorContext context, String what, List<List<Chunk>> inputs) {
        List<Map<Integer, Object>> told = new ArrayList<>();
        for (List<Chunk> input : inputs) {
            Map<Integer, Object> bySource = new TreeMap<>();
            input.forEach(
                    chunk -> bySource.put(chunk.source(), what.equals(NUMBERS) ? numbers(chunk) : told(chunk.read())));
            told.add(bySource);
        }
        return told(context.actor(), numbers(actor, context), told);
    }

    @Override
    List<Operator<?, ?>> added() {
        return List.of(
                ScatterOperator.of(PUT, KvActor.class, PlansEngine::scatter),
                MapOperator.of(PASS, KvActor.class, PlansEngine::pass),
                GatherOperator.of(TELL, KvActor.class, PlansEngine::gather));
    }

    @Override
    Answer answer(QueryText query, PlanContext context) {
        Shuffle<String, String> plan = Objects.requireNonNull(plans.get(query.text()));
        results.put(
                query.text(),
                context.shuffle(plan, values -> values.stream().sorted().toList()));
        return new Answer("text/plain", Bytes.EMPTY);
    }
}
