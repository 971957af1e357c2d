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
import io.uniserve.client.UniserveClient;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.port.kv.KvActor;
import io.uniserve.port.kv.KvOperators;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Key-value engine whose every query is a shuffle of the numbers {@code n} of all documents, redistributed by a map and summed by gathers.
 *
 * <p>The first word of the query selects a fault: {@code sum} none; {@code large} chunks that do not all fit into memory; gathers
 * ({@code slow}) or scatters ({@code crawl}) that wait until they are cancelled; a gather, map or scatter that throws ({@code throw},
 * {@code break}, {@code spoil}). Once per query, {@code busy} makes one server reject a scatter, and {@code lose} loses the chunks of a
 * gather.
 */
final class ShufflingEngine extends ExtendedKvEngine {
    private static final ScatterOperator<KvActor, String> SCATTER = ScatterOperator.of(
            new ScatterCall<>("test.scatter@1", Codecs.STRING), KvActor.class, ShufflingEngine::scatter);
    private static final MapOperator<KvActor, String> MAP =
            MapOperator.of(new MapCall<>("test.map@1", Codecs.STRING), KvActor.class, ShufflingEngine::map);
    private static final GatherOperator<KvActor, String, Long> GATHER = GatherOperator.of(
            new GatherCall<>("test.gather@1", Codecs.STRING, Codecs.LONG), KvActor.class, ShufflingEngine::gather);

    /** Numbers per chunk of a {@code large} query that add nothing to the sum. */
    private static final int LARGE = 400;

    /** Texts of queries that already had their fault. */
    private static final Set<String> TROUBLED = ConcurrentHashMap.newKeySet();

    /** Servers with this engine and a memory limit at which plain queries have their chunks in memory and large ones in files. */
    static LocalCluster cluster(int servers, Path directory) {
        return LocalCluster.builder()
                .servers(servers)
                .engine(new ShufflingEngine())
                .directory(directory)
                .setting("server.exchange-query-memory", "16KiB")
                // The thread of the rebalancer would start some time later.
                .setting("coordinator.rebalance.period", "0s")
                .start();
    }

    /** Puts documents with numbers from 0 on. */
    static void put(UniserveClient client, String table, int rows) {
        client.table(table)
                .updateDocuments(
                        "kv.put@1",
                        IntStream.range(0, rows)
                                .mapToObj(i -> Map.<String, Object>of("id", "k" + i, "n", (long) i))
                                .toList())
                .run()
                .orThrow();
    }

    private static boolean is(String kind, String text) {
        return text.startsWith(kind);
    }

    private static void trouble(String kind, String text) {
        if (is(kind, text)) {
            throw new IllegalStateException("planted");
        }
    }

    private static void once(String kind, String text, ErrorCode code) {
        if (is(kind, text) && TROUBLED.add(text)) {
            throw new UniserveException(code, "planted");
        }
    }

    private static void forEver(String kind, String text, OperatorContext context) {
        while (is(kind, text)) {
            context.checkActive();
            Thread.onSpinWait();
        }
    }

    private static void scatter(KvActor actor, OperatorContext context, String text, int slots, ChunkSink sink) {
        List<BinaryWriter> chunks = chunks(slots);
        for (Document document : KvOperators.SCAN.retrieve(actor, context, new KvOperators.Scan("", 10_000))) {
            if (document.fields().get("n") instanceof Long number) {
                chunks.get((int) (number % slots)).writeLong(number);
            }
        }
        if (is("large", text)) {
            Random random = new Random(context.actor());
            chunks.forEach(chunk -> LongStream.generate(random::nextLong)
                    .limit(LARGE)
                    .forEach(any -> chunk.writeLong(any).writeLong(-any)));
        }
        put(chunks, sink);
        trouble("spoil", text);
        once("busy", text, ErrorCode.UNAVAILABLE);
        forEver("crawl", text, context);
    }

    private static List<BinaryWriter> chunks(int slots) {
        List<BinaryWriter> chunks = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            chunks.add(new BinaryWriter());
        }
        return chunks;
    }

    private static void map(
            KvActor actor, OperatorContext context, String text, List<List<Chunk>> inputs, int slots, ChunkSink sink) {
        List<BinaryWriter> chunks = chunks(slots);
        for (Chunk chunk : inputs.get(0)) {
            BinaryReader in = new BinaryReader(chunk.read());
            while (in.remaining() > 0) {
                long number = in.readLong();
                chunks.get((int) Math.floorMod(number / slots, (long) slots)).writeLong(number);
            }
        }
        put(chunks, sink);
        trouble("break", text);
    }

    private static void put(List<BinaryWriter> chunks, ChunkSink sink) {
        for (int slot = 0; slot < chunks.size(); slot++) {
            Bytes chunk = chunks.get(slot).toBytes();
            if (chunk.size() > 0) {
                sink.put(slot, chunk.size() / Long.BYTES, chunk);
            }
        }
    }

    private static long gather(KvActor actor, OperatorContext context, String text, List<List<Chunk>> chunks) {
        trouble("throw", text);
        once("lose", text, ErrorCode.EXCHANGE_LOST);
        forEver("slow", text, context);
        long sum = 0;
        for (List<Chunk> input : chunks) {
            for (Chunk chunk : input) {
                BinaryReader in = new BinaryReader(chunk.read());
                while (in.remaining() > 0) {
                    sum += in.readLong();
                }
            }
        }
        return sum;
    }

    @Override
    List<Operator<?, ?>> added() {
        return List.of(SCATTER, MAP, GATHER);
    }

    @Override
    Answer answer(QueryText query, PlanContext context) {
        Shuffle<String, Long> plan = Shuffle.scatter(query.table(), ScatterCall.of(SCATTER), query.text())
                .map(query.table(), MapCall.of(MAP), query.text())
                .scatterBroadcast(query.table(), ScatterCall.of(SCATTER), query.text())
                .gather(query.table(), GatherCall.of(GATHER), query.text());
        Shuffle.Result<Long> result = context.shuffle(
                plan, values -> values.stream().mapToLong(Long::longValue).sum());
        boolean spilled = result.stages().stream().anyMatch(stage -> stage.spilledBytes() > 0);
        boolean anew = result.attempts() > 1;
        return new Answer(
                "text/plain", Bytes.utf8(result.value() + (spilled ? " spilled" : "") + (anew ? " anew" : "")));
    }
}
