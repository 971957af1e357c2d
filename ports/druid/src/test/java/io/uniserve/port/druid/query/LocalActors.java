package io.uniserve.port.druid.query;

import io.uniserve.api.ActorContext;
import io.uniserve.api.Document;
import io.uniserve.api.operator.Combiner;
import io.uniserve.api.operator.PerActorParameters;
import io.uniserve.api.operator.RetrieveCall;
import io.uniserve.api.plan.PlanContext;
import io.uniserve.api.plan.QueryText;
import io.uniserve.api.update.UpdateContext;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.port.druid.TestingDruidContext;
import io.uniserve.port.druid.segment.DruidActor;
import io.uniserve.port.druid.segment.DruidUpdateFunctions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Tables of actors in this process. Requests and values pass through their codecs, and each server of three actors merges its values. */
public final class LocalActors implements PlanContext, AutoCloseable {
    private static final int ACTORS_PER_SERVER = 3;

    private final Path directory;
    private final Map<TableName, TableMeta> metas = new HashMap<>();
    private final Map<TableName, TreeMap<Integer, DruidActor>> actors = new HashMap<>();
    private int asked;
    private final NativeQueryPlanner planner = new NativeQueryPlanner();

    public LocalActors(Path directory) {
        this.directory = directory;
    }

    /** Creates a table. */
    public LocalActors with(TableMeta meta) throws IOException {
        metas.put(meta.name(), meta);
        actors.put(meta.name(), new TreeMap<>());
        for (int i = 0; i < meta.partitioner().actors(); i++) {
            actor(meta, i);
        }
        return this;
    }

    /** The actor of this number; a TIME table makes it with its first row. */
    private DruidActor actor(TableMeta meta, int number) {
        return Objects.requireNonNull(actors.get(meta.name())).computeIfAbsent(number, i -> {
            try {
                Path scratch =
                        Files.createDirectories(directory.resolve(meta.name().value() + "-" + i));
                return DruidActor.create(new ActorContext(meta, i, scratch));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    /** Appends rows, each to the actor that owns its key, in batches. */
    public LocalActors append(String table, List<Document> rows, int batch) {
        TableMeta meta = table(new TableName(table));
        for (int from = 0; from < rows.size(); from += batch) {
            Map<Integer, List<Document>> owned = new HashMap<>();
            for (Document row : rows.subList(from, Math.min(rows.size(), from + batch))) {
                owned.computeIfAbsent(row.actor(meta.partitioner()), actor -> new ArrayList<>())
                        .add(row);
            }
            owned.forEach((actor, some) -> {
                DruidActor one = actor(meta, actor);
                DruidUpdateFunctions.APPEND.validate(one, some);
                DruidUpdateFunctions.APPEND.update(one, new UpdateContext(1), some);
                one.publish();
            });
        }
        return this;
    }

    public List<DruidActor> actors(String table) {
        return List.copyOf(
                Objects.requireNonNull(actors.get(new TableName(table))).values());
    }

    @Override
    public List<Integer> actors(TableName name) {
        table(name);
        return List.copyOf(Objects.requireNonNull(actors.get(name)).keySet());
    }

    /** Number of actors that retrieves have asked. */
    public int asked() {
        return asked;
    }

    /** Answers a query as a server does. */
    public String answer(String table, String query) {
        return planner.answer(new QueryText(new TableName(table), query), this)
                .body()
                .utf8();
    }

    @Override
    public TableMeta table(TableName name) {
        TableMeta meta = metas.get(name);
        if (meta == null) {
            throw new UniserveException(ErrorCode.TABLE_NOT_FOUND, "no table " + name.value());
        }
        return meta;
    }

    @Override
    public <P, V, R> R retrieve(TableName name, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        return retrieve(name, Set.copyOf(actors(name)), call, parameters, combiner);
    }

    @Override
    public <P, V, R> R retrieve(
            TableName name, Set<Integer> some, RetrieveCall<P, V> call, P parameters, Combiner<V, R> combiner) {
        List<V> values = new ArrayList<>();
        List<DruidActor> all = new TreeSet<>(some)
                .stream().map(number -> actor(table(name), number)).toList();
        asked += all.size();
        for (int from = 0; from < all.size(); from += ACTORS_PER_SERVER) {
            List<V> own = new ArrayList<>();
            P received = call.parameters().decode(call.parameters().encode(parameters));
            for (DruidActor actor : all.subList(from, Math.min(all.size(), from + ACTORS_PER_SERVER))) {
                @SuppressWarnings("unchecked") // The port has one call.
                V value = (V)
                        ActorQueryRunner.RESULTS.retrieve(actor, new TestingDruidContext(), (SegmentQuery<?>) received);
                own.add(value);
            }
            values.add(call.values().decode(call.values().encode(merge(received, own))));
        }
        return combiner.combine(values);
    }

    @SuppressWarnings("unchecked") // The port has one call.
    private static <P, V> V merge(P parameters, List<V> values) {
        return (V) new PartialResultsMerger()
                .mergeAll((SegmentQuery<?>) parameters, (List<PartialResults>) (List<?>) values);
    }

    @Override
    public <P, V> Map<Integer, V> retrieveEach(
            TableName table, RetrieveCall<PerActorParameters<P>, V> call, Map<Integer, P> parameters) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void useRepeatableReads() {
        // Nothing changes during a test's query.
    }

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public long remainingNanos() {
        return 600_000_000_000L;
    }

    @Override
    public void close() {
        actors.values().forEach(all -> all.values().forEach(DruidActor::close));
    }
}
