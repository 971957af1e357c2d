package io.uniserve.sql.execute;

import io.uniserve.api.operator.Chunk;
import io.uniserve.api.operator.ChunkSink;
import io.uniserve.api.operator.GatherCall;
import io.uniserve.api.operator.GatherOperator;
import io.uniserve.api.operator.MapCall;
import io.uniserve.api.operator.MapOperator;
import io.uniserve.api.operator.OperatorContext;
import io.uniserve.api.operator.ScatterCall;
import io.uniserve.api.operator.ScatterOperator;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Codec;
import io.uniserve.codec.Codecs;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.sql.engine.ActorStatement;
import io.uniserve.sql.engine.SqlActorView;
import io.uniserve.sql.engine.StatementNaming;
import io.uniserve.sql.plan.ShuffleQuery;
import io.uniserve.sql.rows.SqlRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Operators that join tables that are too large for a broadcast, two at a time. Chunks are files in the engine's own format.
 *
 * @param hashExpression writes the engine's hash of an expression: a non-negative whole number, the same in all processes of its version
 * @param filesRelation writes the engine's relation over these files, for FROM
 */
public record SqlShuffleOperators(Function<String, String> hashExpression, Function<List<Path>, String> filesRelation) {
    private static final Codec<List<Bytes>> FILES = Codecs.list(Codecs.BYTES);
    private static final Pattern FOLDER = Pattern.compile(StatementNaming.SLOT + "=(\\d{1,9})");

    /** Calls of the operators, for a planner. */
    public record Calls(
            ScatterCall<ShuffleQuery> scatter, MapCall<ShuffleQuery> join, GatherCall<ShuffleQuery, SqlRows> gather) {}

    /**
     * Returns the operators' calls.
     *
     * @param port its name
     * @param engine the engine's version: engines with different hash functions must not share operators
     */
    public static Calls calls(String port, String engine) {
        return new Calls(
                new ScatterCall<>(port + ".scatter-" + engine + "@1", ShuffleQuery.CODEC),
                new MapCall<>(port + ".join-" + engine + "@1", ShuffleQuery.CODEC),
                new GatherCall<>(port + ".gather-" + engine + "@1", ShuffleQuery.CODEC, SqlRows.CODEC));
    }

    /** Partitions an actor's rows into slots. */
    public <A extends SqlActorView> ScatterOperator<A, ShuffleQuery> scatter(Calls calls, Class<A> type) {
        return ScatterOperator.of(
                calls.scatter,
                type,
                (actor, context, query, slots, sink) -> withFolder(actor, folder -> {
                    scatter(actor, context, query, slots, sink, folder);
                    return folder;
                }));
    }

    /** Joins the received chunks, and partitions the result again. */
    public <A extends SqlActorView> MapOperator<A, ShuffleQuery> join(Calls calls, Class<A> type) {
        return MapOperator.of(
                calls.join,
                type,
                (actor, context, query, chunks, slots, sink) -> withFolder(actor, folder -> {
                    join(actor, context, query, chunks, slots, sink, folder);
                    return folder;
                }));
    }

    /** Joins the received chunks, and returns the slot's part of the answer. */
    public <A extends SqlActorView> GatherOperator<A, ShuffleQuery, SqlRows> gather(Calls calls, Class<A> type) {
        return GatherOperator.of(
                calls.gather,
                type,
                (actor, context, query, chunks) ->
                        withFolder(actor, folder -> gather(actor, context, query, chunks, folder)));
    }

    private void scatter(
            SqlActorView actor, OperatorContext context, ShuffleQuery query, int slots, ChunkSink sink, Path folder)
            throws IOException {
        putFiles(actor, context, query.scatter(actor.columns(), slots, hashExpression), sink, folder.resolve("chunks"));
    }

    private void join(
            SqlActorView actor,
            OperatorContext context,
            ShuffleQuery query,
            List<List<Chunk>> chunks,
            int slots,
            ChunkSink sink,
            Path folder)
            throws IOException {
        List<List<Path>> both = readChunks(chunks, folder);
        if (both.get(0).isEmpty() || both.get(1).isEmpty()) {
            return; // an empty relation joins nothing
        }
        ActorStatement work = query.join(
                filesRelation.apply(both.get(0)),
                filesRelation.apply(both.get(1)),
                slots,
                hashExpression,
                context.actor());
        putFiles(actor, context, work, sink, folder.resolve("chunks"));
    }

    private static void putFiles(
            SqlActorView actor, OperatorContext context, ActorStatement work, ChunkSink sink, Path target)
            throws IOException {
        Map<Path, Long> rows = actor.export(work, target, context);
        Map<Integer, List<Map.Entry<Path, Long>>> bySlot = new TreeMap<>();
        new TreeMap<>(rows)
                .entrySet()
                .forEach(file -> bySlot.computeIfAbsent(slot(file.getKey()), slot -> new ArrayList<>())
                        .add(file));
        for (Map.Entry<Integer, List<Map.Entry<Path, Long>>> one : bySlot.entrySet()) {
            context.checkActive();
            List<Bytes> parts = new ArrayList<>();
            long count = 0;
            checkSize(one.getValue());
            for (Map.Entry<Path, Long> file : one.getValue()) {
                parts.add(Bytes.wrap(Files.readAllBytes(file.getKey())));
                count += file.getValue();
                Files.delete(file.getKey());
            }
            sink.put(one.getKey(), count, FILES.encode(parts));
        }
    }

    /** Fails before the files are read: an actor's rows for a slot may exceed the memory. */
    private static void checkSize(List<Map.Entry<Path, Long>> files) throws IOException {
        long bytes = 0;
        for (Map.Entry<Path, Long> file : files) {
            bytes += Files.size(file.getKey());
        }
        if (bytes > Limits.CHUNK_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "an actor has " + bytes + " bytes for one slot of the join, at most " + Limits.CHUNK_BYTES_MAX
                            + ": add conditions, name fewer columns, or give the table that stays more actors");
        }
    }

    private static int slot(Path file) {
        Matcher name = FOLDER.matcher(String.valueOf(file.getName(file.getNameCount() - 2)));
        if (!name.matches()) {
            throw new UniserveException(
                    ErrorCode.PORT_FAILED, "the engine wrote " + file + ", and its folder does not name a slot");
        }
        return Integer.parseInt(name.group(1));
    }

    private SqlRows gather(
            SqlActorView actor, OperatorContext context, ShuffleQuery query, List<List<Chunk>> chunks, Path folder)
            throws IOException {
        List<List<Path>> both = readChunks(chunks, folder);
        return actor.answer(query.gather(from(both.get(0)), from(both.get(1))), context);
    }

    /** Writes the chunks of the earlier result and of the next table. */
    private static List<List<Path>> readChunks(List<List<Chunk>> chunks, Path folder) throws IOException {
        if (chunks.size() != 2) {
            throw UniserveException.invalid("a join of " + chunks.size() + " shuffled relations, not of two");
        }
        return List.of(writeChunks(chunks.get(0), folder, "a"), writeChunks(chunks.get(1), folder, "b"));
    }

    private Optional<String> from(List<Path> paths) {
        return paths.isEmpty() ? Optional.empty() : Optional.of(filesRelation.apply(paths));
    }

    private static List<Path> writeChunks(List<Chunk> chunks, Path folder, String prefix) throws IOException {
        List<Path> paths = new ArrayList<>();
        for (Chunk chunk : chunks) {
            for (Bytes part : FILES.decode(chunk.read())) {
                Path path = folder.resolve(prefix + paths.size() + ".chunk");
                Files.write(path, part.toArray());
                paths.add(path);
            }
        }
        return paths;
    }

    private interface Work<T> {
        T run(Path folder) throws IOException;
    }

    /** Runs work in a temporary directory, which is deleted afterwards. */
    private static <T> T withFolder(SqlActorView actor, Work<T> work) {
        try {
            Path folder = Files.createTempDirectory(actor.scratch(), "shuffle");
            try {
                return work.run(folder);
            } finally {
                delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
        }
        for (Path path : all) {
            Files.deleteIfExists(path);
        }
    }
}
