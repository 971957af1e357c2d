package io.uniserve.cli.badinput;

import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.Operator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.api.plan.Answer;
import io.uniserve.api.plan.Distribution;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.plan.Shuffle;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codecs;
import io.uniserve.limit.Limits;
import io.uniserve.model.TableName;
import io.uniserve.port.kv.KvActor;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Misbehaving plans of several stages. A query's text, {@code plan KIND}, selects one. */
final class TroublePlans {
    static final String PREFIX = "plan ";
    /** Answer of a correct plan of the four actors: the number of chunks. */
    static final String RIGHT = "16";

    /** Number of chunks that scatters could put. */
    static final AtomicInteger PUT = new AtomicInteger();

    /** Number of loops that were started, and of those that have ended. */
    static final AtomicInteger LOOPS = new AtomicInteger();

    static final AtomicInteger LOOPS_ENDED = new AtomicInteger();

    private static final int MANY = 100_000_000;

    private static final ScatterOperator<KvActor, String> SCATTER = ScatterOperator.of(
            new ScatterCall<>("trouble.scatter@1", Codecs.STRING), KvActor.class, TroublePlans::scatter);
    private static final GatherOperator<KvActor, String, Long> GATHER = GatherOperator.of(
            new GatherCall<>("trouble.gather@1", Codecs.STRING, Codecs.LONG), KvActor.class, TroublePlans::gather);

    static final List<Operator<?, ?>> OPERATORS = List.of(SCATTER, GATHER);

    private TroublePlans() {}

    private static void scatter(KvActor actor, OperatorContext context, String kind, int slots, ChunkSink sink) {
        if (kind.equals("chunks")) {
            for (int slot = 0; slot < MANY; slot++) {
                put(sink, slot, Bytes.utf8("x"));
            }
        }
        if (kind.equals("twice")) {
            for (int chunk = 0; chunk < MANY; chunk++) {
                put(sink, chunk % slots, Bytes.utf8("x"));
            }
        }
        if (kind.equals("large")) {
            put(sink, 0, Bytes.wrap(new byte[Limits.CHUNK_BYTES_MAX + 1]));
        }
        if (kind.equals("gigabytes") && context.actor() == 0) { // once per replica: each loads the collector
            put(sink, 0, Bytes.wrap(new byte[Integer.MAX_VALUE - 8]));
        }
        for (int slot = 0; slot < slots; slot++) {
            put(sink, slot, Bytes.utf8("x"));
        }
    }

    private static void put(ChunkSink sink, int slot, Bytes chunk) {
        sink.put(slot, 1, chunk);
        PUT.incrementAndGet();
    }

    private static long gather(KvActor actor, OperatorContext context, String kind, List<List<Chunk>> chunks) {
        if (kind.equals("throw")) {
            throw new IllegalStateException("broken on purpose");
        }
        if (kind.equals("deep")) {
            throw new StackOverflowError("deep on purpose");
        }
        if (kind.equals("hang")) { // ignores its deadline
            return TroubleOperators.HANG.retrieve(actor, context, 0L);
        }
        if (kind.equals("loop")) {
            loop(context);
        }
        return chunks.stream().mapToLong(List::size).sum();
    }

    private static void loop(OperatorContext context) {
        LOOPS.incrementAndGet();
        try {
            while (true) {
                context.checkActive();
                Thread.onSpinWait();
            }
        } finally {
            LOOPS_ENDED.incrementAndGet();
        }
    }

    static Answer answer(QueryText query, PlanContext context) {
        String kind = query.text().substring(PREFIX.length());
        Shuffle.Result<Long> result = context.shuffle(
                plan(query.table(), kind),
                values -> values.stream().mapToLong(Long::longValue).sum());
        return new Answer("text/plain", Bytes.utf8(Long.toString(result.value())));
    }

    private static Shuffle<String, Long> plan(TableName table, String kind) {
        ScatterCall<String> scatter = ScatterCall.of(SCATTER);
        Shuffle.Builder stages = switch (kind) {
            case "keys none" -> keys(table, List.of());
            case "keys twice" -> keys(table, List.of(1, 2, 1));
            case "keys beyond" -> keys(table, List.of(0, 4));
            case "keys negative" -> keys(table, List.of(-1));
            case "keys many" ->
                keys(
                        table,
                        Stream.iterate(0, n -> n + 1)
                                .limit(Limits.TIME_ACTORS_PER_TABLE_MAX + 1)
                                .toList());
            case "parameters" -> Shuffle.scatter(table, scatter, "x".repeat(Limits.PARAMETER_BYTES_MAX));
            default -> Shuffle.scatter(table, scatter, kind);
        };
        int more = kind.equals("stages") ? Limits.PLAN_SCATTERS_MAX : 0;
        for (int stage = 0; stage < more; stage++) {
            stages = stages.scatter(table, scatter, kind);
        }
        String last = kind.equals("gather parameters") ? "x".repeat(Limits.PARAMETER_BYTES_MAX) : kind;
        return stages.gather(table, GatherCall.of(GATHER), last);
    }

    private static Shuffle.Builder keys(TableName table, List<Integer> actors) {
        return Shuffle.scatter(table, ScatterCall.of(SCATTER), "right")
                .add(new Shuffle.Scatter<>(
                        table, Optional.of(actors), ScatterCall.of(SCATTER), "right", Distribution.PARTITIONED));
    }
}
